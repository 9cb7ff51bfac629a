# Conditional permutation importances by R's party and partykit over many seeds, for make_cforest.py.
# Rscript conditional.R FOLDER: FOLDER/table holds the columns, the response last; FOLDER/about says
# rows, columns, trees, candidates per node, seeds.
suppressPackageStartupMessages({library(party); library(partykit)})

folder <- commandArgs(TRUE)[1]
about <- scan(file.path(folder, "about"), quiet = TRUE)
n <- about[1]; p <- about[2]; trees <- about[3]; mtry <- about[4]; seeds <- about[5]
data <- as.data.frame(matrix(readBin(file.path(folder, "table"), "double", n * p), n, p))
names(data) <- c(paste0("x", seq_len(p - 1)), "y")
all <- function(found) {
  importance <- setNames(rep(0, p - 1), names(data)[-p])
  importance[names(found)] <- found
  importance
}
rows <- lapply(seq_len(seeds), function(seed) {
  set.seed(seed)
  controls <- party::cforest_unbiased(ntree = trees, mtry = mtry)
  old <- party::cforest(y ~ ., data = data, controls = controls)
  new <- partykit::cforest(y ~ ., data = data, ntree = trees, mtry = mtry)
  c(all(party::varimp(old, conditional = TRUE)),
    all(partykit::varimp(new, nperm = 1L, conditional = TRUE)))
})
writeBin(as.vector(do.call(rbind, rows)), file.path(folder, "importances"))
