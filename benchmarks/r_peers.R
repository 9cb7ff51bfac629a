# Times R's peers on one CSV file (target y first): Rscript r_peers.R FILE TASK TREES THREADS METHOD.
# Prints seconds measured inside R, without start-up and reading: fit CPU, fit wall, predict wall.
arguments <- commandArgs(trailingOnly = TRUE)
n_trees <- as.integer(arguments[3])
n_threads <- as.integer(arguments[4])
data <- read.csv(arguments[1])
if (arguments[2] == "classification") data$y <- factor(data$y)
suppressPackageStartupMessages({library(partykit); library(ranger)})

fit <- switch(arguments[5],
  ctree = function() ctree(y ~ ., data),
  cforest = function() cforest(y ~ ., data, ntree = n_trees),
  ranger = function() ranger(dependent.variable.name = "y", data = data, num.trees = n_trees,
                             num.threads = n_threads, seed = 1))
set.seed(1)
fitting <- system.time(model <- fit())
predicting <- system.time(predict(model, data))
cat(fitting[["user.self"]] + fitting[["sys.self"]], fitting[["elapsed"]], predicting[["elapsed"]])
