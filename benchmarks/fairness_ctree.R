# P-values of partykit::ctree's root: Rscript fairness_ctree.R DATA OUT TASK.
# DATA holds all data sets below each other (columns set, y, then features); OUT gets one line each.
arguments <- commandArgs(trailingOnly = TRUE)
suppressPackageStartupMessages(library(partykit))
data <- read.csv(arguments[1])
if (arguments[3] == "classification") data$y <- factor(data$y)
control <- ctree_control(teststat = "quadratic", testtype = "Univariate", stump = TRUE, alpha = 1)
root <- function(one) ctree(y ~ ., one[-1], control = control)$node$info$criterion["p.value", ]
p <- t(sapply(split(data, data$set), root))
write.table(p, arguments[2], sep = ",", row.names = FALSE, col.names = FALSE)
