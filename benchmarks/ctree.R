# Times R's trees, forests and conditional importances, for ctree.py. Arguments: a folder with the
# table and what it is, and what to time; writes CPU seconds.
suppressPackageStartupMessages({library(party); library(partykit)})

arguments <- commandArgs(TRUE)
about <- scan(file.path(arguments[1], "about"), quiet = TRUE)
n <- about[1]; p <- about[2]; trees <- about[4]; mtry <- about[5]
data <- as.data.frame(matrix(readBin(file.path(arguments[1], "table"), "double", n * p), n, p))
names(data) <- c(paste0("x", seq_len(p - 1)), "y")
if (about[3] > 0) data$y <- factor(data$y)
set.seed(1)
cpu <- function(work) sum(system.time(work)[c("user.self", "sys.self")])
controls <- party::cforest_unbiased(ntree = trees, mtry = mtry)
for (what in arguments[-1]) {
  seconds <- switch(what,
    ctree = min(replicate(3, cpu(partykit::ctree(y ~ ., data = data)))),
    cforest = cpu(partykit::cforest(y ~ ., data = data, ntree = trees, mtry = mtry)),
    party = min(replicate(3, cpu(party::cforest(y ~ ., data = data, controls = controls)))),
    party_conditional = {
      forest <- party::cforest(y ~ ., data = data, controls = controls)
      cpu(party::varimp(forest, conditional = TRUE))
    },
    conditional = {
      forest <- partykit::cforest(y ~ ., data = data, ntree = trees, mtry = mtry)
      cpu(partykit::varimp(forest, nperm = 1L, conditional = TRUE))
    })
  cat(seconds, "\n")
}
