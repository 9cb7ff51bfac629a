# partykit's ctree with several numeric responses, categories and gaps: root tests of all features,
# and the partition of the rows.
# Rscript tests/agreement/make_several_kinds.R, from the repository.
suppressPackageStartupMessages(library(partykit))

value <- function(x) {
  text <- if (is.factor(x)) paste0('"', x, '"') else sprintf("%.17g", x)
  paste0("[", paste(ifelse(is.na(x), "null", text), collapse = ","), "]")
}
columns <- function(data) {
  paste0("{", paste0('"', names(data), '": ', sapply(data, value), collapse = ",\n"), "}")
}
case <- function(data, responses) {
  features <- setdiff(names(data), responses)
  formula <- as.formula(paste(paste(responses, collapse = " + "), "~", paste(features, collapse = " + ")))
  root <- ctree(formula, data = data, control = ctree_control(testtype = "Univariate"))
  criterion <- nodeapply(root, 1, info_node)[[1]]$criterion[, features, drop = FALSE]
  tree <- ctree(formula, data = data, control = ctree_control(majority = TRUE))
  inner <- setdiff(nodeids(tree), nodeids(tree, terminal = TRUE))
  taken <- sapply(inner, function(id) {
    node <- nodeapply(tree, id, identity)[[1]]
    name <- names(tree$data)[varid_split(split_node(node))]
    c(match(name, features) - 1, info_node(node)$criterion[c("statistic", "p.value"), name])
  })
  sprintf('{"y": %s,\n"x": %s,\n"statistic": %s,\n"p_value": %s,\n"leaf": %s,\n"feature": %s,\n"node_statistic": %s,\n"node_p_value": %s}',
          columns(data[responses]), columns(data[features]), value(criterion["statistic", ]),
          value(criterion["p.value", ]), value(fitted(tree)[["(fitted)"]]), value(taken[1, ]),
          value(taken[2, ]), value(taken[3, ]))
}
air <- airquality
air$Month <- factor(air$Month, labels = c("May", "June", "July", "August", "September"))
# Twelve levels: 2,047 partitions.
plants <- transform(as.data.frame(CO2), Plant = factor(as.character(Plant)))
cases <- c(
  sprintf('"airquality": %s', case(air, c("Wind", "Temp"))),
  sprintf('"iris": %s', case(iris, c("Sepal.Length", "Sepal.Width"))),
  sprintf('"warpbreaks": %s', case(transform(warpbreaks, log = log(breaks)), c("breaks", "log"))),
  sprintf('"InsectSprays": %s', case(transform(InsectSprays, root = sqrt(count)), c("count", "root"))),
  sprintf('"CO2": %s', case(plants, c("conc", "uptake")))
)
writeLines(c("{", paste(cases, collapse = ",\n"), "}"), "tests/agreement/golden_several_kinds.json")
