# Survival data of R's packages survival, MASS, TH.data and timereg, one CSV file per set.
# Rscript survival_settings.R FOLDER: columns `time`, `event` and the features; words are numbered.
# Of two large sets 1,000 rows are drawn. GBSG2 and veteran are left out: scikit-survival has them.
suppressPackageStartupMessages({library(survival); library(MASS); library(TH.data); library(timereg)})
folder <- commandArgs(TRUE)[1]
put <- function(name, table, time, event, dropped = character(0)) {
  features <- table[, setdiff(names(table), c(time, dropped))]
  features <- lapply(features, function(x) if (is.numeric(x)) x else as.integer(factor(x)))
  table <- data.frame(time = table[[time]], event = as.integer(event), as.data.frame(features))
  table <- table[!is.na(table$time) & !is.na(table$event) & table$time > 0, ]
  write.csv(table, file.path(folder, paste0(name, ".csv")), row.names = FALSE)
}
some <- function(table) { set.seed(1); table[sample(nrow(table), 1000), ] }
put("lung", lung, "time", lung$status == 2, c("inst", "status"))
put("pbc", pbc, "time", pbc$status == 2, c("id", "status"))
deaths <- colon[colon$etype == 2, ]
put("colon", deaths, "time", deaths$status, c("id", "study", "status", "etype"))
put("mgus", mgus, "futime", mgus$death, c("id", "pcdx", "pctime", "death"))
put("mgus2", mgus2, "futime", mgus2$death, c("id", "ptime", "pstat", "death"))
rotterdam <- some(rotterdam)
put("rotterdam", rotterdam, "dtime", rotterdam$death, c("pid", "rtime", "recur", "death"))
nwtco <- some(nwtco)
put("nwtco", nwtco, "edrel", nwtco$rel, c("seqno", "rel", "in.subcohort"))
put("melanoma", Melanoma, "time", Melanoma$status == 1, "status")
data(wpbc)
put("wpbc", wpbc, "time", wpbc$status == "R", "status")
data(sTRACE)
put("trace", sTRACE, "time", sTRACE$status == 9, c("no", "status"))
put("udca", udca1, "futime", udca1$status, c("id", "status"))
