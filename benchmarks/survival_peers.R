# Survival forests of R's ranger and partykit, with their defaults but for the number of trees.
# Rscript survival_peers.R FOLDER METHOD: reads train.csv, test.csv (first columns `time`, `event`)
# and times.csv, writes curves.csv (a row per test row) and prints CPU seconds of the fit.
suppressPackageStartupMessages({library(survival)})
arguments <- commandArgs(TRUE)
folder <- arguments[1]; method <- arguments[2]
read <- function(name) read.csv(file.path(folder, name))
train <- read("train.csv"); test <- read("test.csv"); times <- read("times.csv")$time
set.seed(0)
if (method == "ranger") {
  suppressPackageStartupMessages(library(ranger))
  used <- system.time(model <- ranger(Surv(time, event) ~ ., train, num.trees = 100, num.threads = 1))
  found <- predict(model, test, num.threads = 1)
  at <- findInterval(times, found$unique.death.times)
  curves <- cbind(1, found$survival)[, at + 1, drop = FALSE]
  risk <- rowSums(found$chf)
} else {
  suppressPackageStartupMessages(library(partykit))
  used <- system.time(model <- cforest(Surv(time, event) ~ ., train, ntree = 100))
  fits <- predict(model, newdata = test, type = "prob")
  curves <- t(sapply(fits, function(fit) summary(fit, times = times, extend = TRUE)$surv))
  steps <- sort(unique(train$time[train$event == 1]))
  hazards <- sapply(fits, function(fit) {
    chf <- cumsum(fit$n.event / fit$n.risk)
    sum(c(0, chf)[findInterval(steps, fit$time) + 1])
  })
  risk <- hazards
}
write.csv(data.frame(risk = risk, curves), file.path(folder, "found.csv"), row.names = FALSE)
cat(used[["user.self"]] + used[["sys.self"]], "\n")
