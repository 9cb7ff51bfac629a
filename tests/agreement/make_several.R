# Root tests of partykit's ctree with several numeric responses; writes golden_several.json.
# Rscript tests/agreement/make_several.R, from the repository.
suppressPackageStartupMessages(library(partykit))

root <- function(data, responses) {
  features <- setdiff(names(data), responses)
  formula <- as.formula(paste(paste(responses, collapse = " + "), "~", paste(features, collapse = " + ")))
  tree <- ctree(formula, data = data, control = ctree_control(testtype = "Univariate"))
  info <- nodeapply(tree, 1, info_node)[[1]]
  list(
    y = as.matrix(data[responses]), x = as.matrix(data[features]),
    statistic = unname(info$criterion["statistic", features]),
    p_value = unname(info$criterion["p.value", features])
  )
}

numbers <- function(values) paste0("[", paste(sprintf("%.17g", values), collapse = ","), "]")
rows <- function(table) paste0("[", paste(apply(table, 1, numbers), collapse = ",\n"), "]")
cases <- list(
  attitude = root(attitude, c("rating", "complaints", "privileges")),
  stackloss = root(stackloss, c("stack.loss", "Air.Flow")),
  mtcars = root(mtcars, c("mpg", "qsec", "wt"))
)
text <- sapply(names(cases), function(name) {
  case <- cases[[name]]
  sprintf('"%s": {"y": %s,\n"x": %s,\n"statistic": %s,\n"p_value": %s}', name, rows(case$y),
          rows(case$x), numbers(case$statistic), numbers(case$p_value))
})
writeLines(c("{", paste(text, collapse = ",\n"), "}"), "tests/agreement/golden_several.json")
