# Reads a table of doubles and writes, of each feature on the rows where it is there, the quadratic
# statistic of coin::independence_test, its degrees of freedom and its asymptotic p-value.
suppressPackageStartupMessages(library(coin))
folder <- commandArgs(TRUE)[1]
about <- scan(file.path(folder, "about"), quiet = TRUE)
n <- about[1]; p <- about[2]; has_classes <- about[3] == 1
is_factor <- about[-(1:3)] == 1
table <- matrix(readBin(file.path(folder, "table"), "double", n * (p + 1)), n)
y <- if (has_classes) factor(table[, p + 1]) else table[, p + 1]
result <- vapply(seq_len(p), function(j) {
  there <- !is.na(table[, j])
  x <- if (is_factor[j]) factor(table[there, j]) else table[there, j]
  own <- if (has_classes) droplevels(y[there]) else y[there]
  if (length(unique(x)) < 2) return(c(0, 0, 1))
  test <- independence_test(own ~ x, teststat = "quadratic", distribution = "asymptotic")
  c(statistic(test), test@statistic@df, pvalue(test))
}, numeric(3))
writeBin(as.vector(result), file.path(folder, "result"))
cat(as.character(getRversion()), as.character(packageVersion("coin")),
    as.character(packageVersion("libcoin")), "\n")
