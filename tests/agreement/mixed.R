# Grows partykit's ctree on a table with categories, for make_mixed.py. Rscript mixed.R FOLDER:
# FOLDER/table holds the columns as numbers, codes of categories from 1 on, the response first;
# FOLDER/about says rows, columns and alpha, then of each column its levels (0: a number).
suppressPackageStartupMessages(library(partykit))

folder <- commandArgs(TRUE)[1]
about <- scan(file.path(folder, "about"), quiet = TRUE)
n <- about[1]; p <- about[2]; levels <- about[-(1:3)]
data <- as.data.frame(matrix(readBin(file.path(folder, "table"), "double", n * p), n, p))
names(data) <- c("y", paste0("x", seq_len(p - 1)))
for (j in which(levels > 0)) data[[j]] <- factor(data[[j]], levels = seq_len(levels[j]))
tree <- ctree(y ~ ., data = data, control = ctree_control(alpha = about[3], majority = TRUE))
leaf <- fitted(tree)[["(fitted)"]]
inner <- setdiff(nodeids(tree), nodeids(tree, terminal = TRUE))
# feature, statistic, p-value, first and last leaf below: nodes are numbered in preorder.
rows <- lapply(inner, function(id) {
  feature <- varid_split(nodeapply(tree, id, split_node)[[1]]) - 1
  test <- info_node(nodeapply(tree, id, identity)[[1]])$criterion[c("statistic", "p.value"),
                                                                  paste0("x", feature)]
  below <- nodeids(tree, from = id, terminal = TRUE)
  c(feature, test, min(below), max(below))
})
writeBin(as.double(unlist(rows)), file.path(folder, "inner"))
writeBin(as.double(leaf), file.path(folder, "leaf"))
