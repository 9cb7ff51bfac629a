# Permutation importances by R's party, plain and conditional, of one data set in a CSV file.
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1])
set.seed(as.integer(arguments[2]))
controls <- party::cforest_unbiased(ntree = as.integer(arguments[3]), mtry = as.integer(arguments[4]))
forest <- party::cforest(y ~ ., data = data, controls = controls)
cat(party::varimp(forest), "\n")
cat(party::varimp(forest, conditional = TRUE), "\n")
