# partykit's ctree with several numeric responses: root tests (golden_several.json), and the nodes
# of whole trees in preorder (golden_several_trees.json).
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

nodes <- function(data, responses) {
  features <- setdiff(names(data), responses)
  formula <- as.formula(paste(paste(responses, collapse = " + "), "~", paste(features, collapse = " + ")))
  tree <- ctree(formula, data = data)
  leaf <- fitted(tree)[["(fitted)"]]
  found <- sapply(nodeids(tree), function(id) {
    split <- split_node(nodeapply(tree, id, identity)[[1]])
    name <- if (is.null(split)) NA else names(tree$data)[varid_split(split)]
    cut <- if (is.null(split)) NA else breaks_split(split)
    criterion <- nodeapply(tree, id, info_node)[[1]]$criterion
    taken <- if (is.null(criterion)) NA else if (is.na(name)) which.max(criterion["criterion", ]) else name
    test <- if (is.null(criterion)) c(NA, NA) else criterion[c("statistic", "p.value"), taken]
    feature <- if (is.na(name)) -1 else match(name, features) - 1
    c(feature, cut, sum(leaf %in% nodeids(tree, from = id, terminal = TRUE)), test)
  })
  names <- c("feature", "cut", "n", "statistic", "p_value")
  fields <- sapply(1:5, function(i) {
    values <- ifelse(is.na(found[i, ]), "null", sprintf("%.17g", found[i, ]))
    paste0('"', names[i], '": [', paste(values, collapse = ","), "]")
  })
  sprintf('{"y": %s,\n"x": %s,\n%s}', rows(as.matrix(data[responses])),
          rows(as.matrix(data[features])), paste(fields, collapse = ",\n"))
}
trees <- c(
  sprintf('"airquality": %s', nodes(na.omit(airquality), c("Ozone", "Temp"))),
  sprintf('"trees": %s', nodes(trees, c("Height", "Volume"))),
  sprintf('"rock": %s', nodes(rock, c("perm", "shape"))),
  sprintf('"quakes": %s', nodes(quakes[1:300, ], c("mag", "stations"))),
  sprintf('"all quakes": %s', nodes(quakes, c("depth", "mag", "stations")))
)
writeLines(c("{", paste(trees, collapse = ",\n"), "}"), "tests/agreement/golden_several_trees.json")
