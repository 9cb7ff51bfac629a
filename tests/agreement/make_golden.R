# Writes golden.json: data sets and the p-values of partykit::ctree's root node.
# Run it in this folder: Rscript make_golden.R
suppressPackageStartupMessages(library(partykit))

# The root's test of every feature, adjusted for nothing.
root_p_values <- function(data) {
  control <- ctree_control(testtype = "Univariate", mincriterion = 0, stump = TRUE,
                           minsplit = 2L, minbucket = 1L)
  tree <- ctree(y ~ ., data = data, control = control)
  info_node(node_party(tree))$criterion["p.value", setdiff(colnames(data), "y")]
}

number <- function(x) paste0("[", paste(formatC(x, digits = 17, format = "g"), collapse = ", "), "]")
text <- function(x) paste0("[", paste0('"', x, '"', collapse = ", "), "]")

set.seed(20)
n <- 60
noise <- data.frame(x0 = rnorm(n), x1 = rexp(n), x2 = sample(0:2, n, TRUE), x3 = runif(n))
two <- noise
two$y <- factor(ifelse(two$x0 + rnorm(n) > 0.5, "b", "a"))
rare <- noise
rare$y <- factor(c(rep("b", 4), rep("a", n - 4)))
four <- noise
four$y <- factor(letters[1 + pmin(3, floor(abs(four$x3 * 2 + rnorm(n))))])
values <- noise
values$y <- values$x1 + 2 * rnorm(n)
counts <- noise
counts$y <- as.numeric(rpois(n, 2 + counts$x2))

cases <- list(
  list("iris", cbind(iris[, 1:4], y = iris$Species)),
  list("two classes", two),
  list("rare class", rare),
  list("four classes", four),
  list("numeric response", values),
  list("counts as response", counts),
  list("mtcars", data.frame(y = mtcars$mpg, mtcars[, -1]))
)

parts <- vapply(cases, function(case) {
  data <- case[[2]]
  features <- setdiff(colnames(data), "y")
  y <- if (is.factor(data$y)) text(as.character(data$y)) else number(data$y)
  columns <- vapply(features, function(f) number(data[[f]]), "")
  paste0('  {"name": "', case[[1]], '",\n   "features": ', text(features),
         ',\n   "X": [', paste(columns, collapse = ",\n         "), '],\n   "y": ', y,
         ',\n   "p_value": ', number(root_p_values(data)), "}")
}, "")
writeLines(c("[", paste(parts, collapse = ",\n"), "]"), "golden.json")
cat("R", as.character(getRversion()), "partykit", as.character(packageVersion("partykit")),
    "libcoin", as.character(packageVersion("libcoin")), "\n")
