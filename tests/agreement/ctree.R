# Grows partykit's ctree on a table of doubles and writes its nodes in preorder, for make_goldens.py.
# Rscript ctree.R FOLDER: FOLDER/table holds the columns, the response last; FOLDER/about says
# rows, columns, classes (0: a number), alpha and whether missing values follow the majority.
suppressPackageStartupMessages(library(partykit))

folder <- commandArgs(TRUE)[1]
about <- scan(file.path(folder, "about"), quiet = TRUE)
n <- about[1]; p <- about[2]; classes <- about[3]; alpha <- about[4]
values <- readBin(file.path(folder, "table"), "double", n * p)
data <- as.data.frame(matrix(values, n, p))
names(data) <- c(paste0("x", seq_len(p - 1)), "y")
if (classes > 0) data$y <- factor(data$y, levels = seq_len(classes) - 1)
started <- proc.time()[["elapsed"]]
tree <- ctree(y ~ ., data = data, control = ctree_control(alpha = alpha))
seconds <- proc.time()[["elapsed"]] - started
weights <- function(node) as.vector(table(factor(node, levels = nodeids(tree))))
leaf <- fitted(tree)[["(fitted)"]]

# feature (0: a leaf), cut, n, statistic and p-value of the feature taken, or of the best in a leaf,
# then the mean, or the number of rows of each class.
below <- function(id) {
  kids <- nodeids(tree, from = id, terminal = TRUE)
  data$y[leaf %in% kids]
}
rows <- lapply(nodeids(tree), function(id) {
  node <- nodeapply(tree, id, identity)[[1]]
  y <- below(id)
  feature <- 0; cut <- NA
  split <- nodeapply(tree, id, split_node)[[1]]
  if (!is.null(split)) {
    feature <- varid_split(split) - 1
    cut <- breaks_split(split)
  }
  info <- nodeapply(tree, id, info_node)[[1]]
  test <- c(NA, NA)
  if (!is.null(info$criterion)) {
    taken <- if (feature > 0) paste0("x", feature) else names(info$p.value)
    test <- info$criterion[c("statistic", "p.value"), taken]
  }
  c(feature, cut, length(y), test, if (classes > 0) as.vector(table(y)) else mean(y))
})
writeBin(as.vector(do.call(rbind, rows)), file.path(folder, "nodes"))
cat(length(rows), seconds, as.character(packageVersion("partykit")), as.character(getRversion()), "\n")
