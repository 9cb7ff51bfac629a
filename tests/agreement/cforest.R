# Grows partykit's cforest with many seeds and writes what its forests are like, for make_goldens.py.
# Rscript cforest.R FOLDER: FOLDER/table holds the columns, the response last; FOLDER/about says
# rows, columns, classes (0: a number), trees, seeds.
suppressPackageStartupMessages(library(partykit))

folder <- commandArgs(TRUE)[1]
about <- scan(file.path(folder, "about"), quiet = TRUE)
n <- about[1]; p <- about[2]; classes <- about[3]; trees <- about[4]; seeds <- about[5]
data <- as.data.frame(matrix(readBin(file.path(folder, "table"), "double", n * p), n, p))
names(data) <- c(paste0("x", seq_len(p - 1)), "y")
if (classes > 0) data$y <- factor(data$y, levels = seq_len(classes) - 1)

# A row per seed: splits per tree of each feature, leaves and depth per tree, out-of-bag error,
# permutation importances.
rows <- lapply(seq_len(seeds), function(seed) {
  set.seed(seed)
  forest <- cforest(y ~ ., data = data, ntree = trees)
  varid <- unlist(lapply(forest$nodes, function(node) {
    inner <- setdiff(nodeids(node), nodeids(node, terminal = TRUE))
    unlist(nodeapply(node, inner, function(one) varid_split(split_node(one))))
  }))
  leaves <- mean(vapply(forest$nodes, function(node) length(nodeids(node, terminal = TRUE)), 0))
  deepest <- mean(vapply(forest$nodes, depth, 0))
  response <- predict(forest, OOB = TRUE, type = "response")
  error <- if (classes > 0) mean(response != data$y, na.rm = TRUE) else
    mean((response - data$y)^2, na.rm = TRUE)
  importance <- rep(0, p - 1)
  found <- varimp(forest, nperm = 1L, risk = if (classes > 0) "misclassification" else "loglik")
  importance[match(names(found), names(data))] <- found
  c(tabulate(varid - 1, p - 1) / trees, leaves, deepest, error, importance)
})
writeBin(as.vector(do.call(rbind, rows)), file.path(folder, "forests"))
