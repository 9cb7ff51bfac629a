# Survival forests of R's ranger and partykit, with their defaults but for the number of trees.
# Rscript survival_peers.R METHOD FOLDER ...: reads train.csv, test.csv (first columns `time`,
# `event`) and times.csv of each folder, writes found.csv there (risk and curve of each test row),
# and prints the CPU seconds of all fits.
suppressPackageStartupMessages({library(survival); library(ranger); library(partykit)})
arguments <- commandArgs(TRUE)
method <- arguments[1]
used <- 0
clock <- function(fit) {
  taken <- system.time(fit)
  used <<- used + taken[["user.self"]] + taken[["sys.self"]]
}
for (folder in arguments[-1]) {
  read <- function(name) read.csv(file.path(folder, name))
  train <- read("train.csv"); test <- read("test.csv"); times <- read("times.csv")$time
  set.seed(0)
  if (method == "ranger") {
    clock(model <- ranger(Surv(time, event) ~ ., train, num.trees = 100, num.threads = 1))
    found <- predict(model, test, num.threads = 1)
    at <- findInterval(times, found$unique.death.times)
    curves <- cbind(1, found$survival)[, at + 1, drop = FALSE]
    risk <- rowSums(found$chf)
  } else {
    clock(model <- cforest(Surv(time, event) ~ ., train, ntree = 100))
    fits <- predict(model, newdata = test, type = "prob")
    curves <- t(sapply(fits, function(fit) summary(fit, times = times, extend = TRUE)$surv))
    steps <- sort(unique(train$time[train$event == 1]))
    risk <- sapply(fits, function(fit) {
      chf <- cumsum(fit$n.event / fit$n.risk)
      sum(c(0, chf)[findInterval(steps, fit$time) + 1])
    })
  }
  write.csv(data.frame(risk = risk, curves), file.path(folder, "found.csv"), row.names = FALSE)
}
cat(used, "\n")
