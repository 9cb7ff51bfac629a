# Reads tables of doubles, each in a folder, and writes beside it, of each feature, the quadratic
# statistic and the p-value of the test that partykit::ctree makes at the root, which is that of the
# rows where the feature is there.
suppressPackageStartupMessages(library(partykit))
for (folder in commandArgs(TRUE)) {
  about <- scan(file.path(folder, "about"), quiet = TRUE)
  n <- about[1]; p <- about[2]; has_classes <- about[3] == 1
  is_factor <- about[-(1:3)] == 1
  table <- matrix(readBin(file.path(folder, "table"), "double", n * (p + 1)), n)
  table[is.nan(table)] <- NA  # a factor would have a level NaN
  data <- as.data.frame(table)
  names(data) <- c(paste0("x", seq_len(p)), "y")
  for (j in which(is_factor)) data[[j]] <- factor(data[[j]])
  if (has_classes) data$y <- factor(data$y)
  # No test is below a level of 0, so the root is tested and never split.
  tree <- ctree(y ~ ., data = data, control = ctree_control(alpha = 0, testtype = "Univariate"))
  tests <- info_node(node_party(tree))$criterion
  result <- tests[c("statistic", "p.value"), match(paste0("x", seq_len(p)), colnames(tests))]
  writeBin(as.vector(result), file.path(folder, "result"))
}
cat(as.character(getRversion()), as.character(packageVersion("partykit")),
    as.character(packageVersion("libcoin")), "\n")
