# Prints what partykit::ctree finds in a CSV file whose first columns are `time` and `event`, or `y`,
# the number of an ordered class: the root's tests one by one, and the nodes of trees in preorder.
suppressPackageStartupMessages({library(partykit); library(survival)})
data <- read.csv(commandArgs(TRUE)[1])
if ("event" %in% names(data)) {
  formula <- Surv(time, event) ~ .
  features <- setdiff(names(data), c("time", "event"))
} else {
  data$y <- ordered(data$y)
  formula <- y ~ .
  features <- setdiff(names(data), "y")
}
data[features] <- lapply(data[features], as.numeric)
number <- function(x) {
  x <- ifelse(is.na(x), "null", formatC(x, digits = 17, format = "g"))
  paste0("[", paste(x, collapse = ", "), "]")
}

control <- ctree_control(testtype = "Univariate", mincriterion = 0, stump = TRUE,
                         minsplit = 2L, minbucket = 1L)
root <- info_node(node_party(ctree(formula, data = data, control = control)))$criterion
parts <- c('"statistic":', number(root["statistic", features]),
           ', "p_value":', number(root["p.value", features]))

nodes <- function(alpha) {
  tree <- ctree(formula, data = data, control = ctree_control(alpha = alpha))
  leaf <- fitted(tree)[["(fitted)"]]
  found <- sapply(nodeids(tree), function(id) {
    split <- split_node(nodeapply(tree, id, identity)[[1]])
    name <- if (is.null(split)) NA else names(tree$data)[varid_split(split)]
    feature <- if (is.na(name)) -1 else match(name, features) - 1
    cut <- if (is.null(split)) NA else breaks_split(split)
    criterion <- nodeapply(tree, id, info_node)[[1]]$criterion
    taken <- if (is.null(criterion)) NA else if (is.na(name)) which.max(criterion["criterion", ]) else name
    test <- if (is.null(criterion)) c(NA, NA) else criterion[c("statistic", "p.value"), taken]
    c(feature, cut, sum(leaf %in% nodeids(tree, from = id, terminal = TRUE)), test)
  })
  names <- c("feature", "cut", "n", "statistic", "p_value")
  fields <- sapply(1:5, function(i) paste0('"', names[i], '": ', number(found[i, ])))
  paste0("{", paste(fields, collapse = ", "), "}")
}
cat("{", parts, ', "trees": {"0.05":', nodes(0.05), ', "0.5":', nodes(0.5), "}}\n")
