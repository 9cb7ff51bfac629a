# Ranks features by partykit's ctree or cforest; _r_partykit.py starts it.
#
# Arguments, as name=value: folder, model (ctree or cforest), task, n, p, seed, cores, and the
# parameters of the model. The folder holds X (doubles, column after column) and y (doubles). The
# script adds features.csv (one line per feature and its importance), splits.csv (one line per
# split: tree and feature) and trees.csv (one line per tree: its depth).
#
# Features go by name everywhere. A model frame has the response in its first column, so that a
# split's `varid` is not the number of a feature; and `varimp` leaves out the features that no tree
# uses, so that positions in its result are not numbers of features either.

suppressPackageStartupMessages(library(partykit))

given <- strsplit(commandArgs(trailingOnly = TRUE), "=", fixed = TRUE)
arg <- setNames(lapply(given, `[[`, 2), vapply(given, `[[`, "", 1))
number <- function(name) as.numeric(arg[[name]])
path <- function(file) file.path(arg$folder, file)

n <- number("n")
p <- number("p")
seed <- number("seed")
features <- paste0("X", seq_len(p))

X <- matrix(readBin(path("X"), "double", n * p), n, p, dimnames = list(NULL, features))
y <- readBin(path("y"), "double", n)
if (arg$task == "classification") y <- factor(y)
data <- data.frame(y = y, X)
# The same model as `y ~ .`, without a formula of p terms, whose expansion overflows R's protection
# stack when p is large.
model <- list(y = "y", z = features)

control <- function(...) {
  ctree_control(teststat = "quadratic", testtype = arg$testtype,
                nresample = number("nresample"), ...)
}

# Tree b has a stream of its own: the result does not depend on the number of cores.
each_tree <- function(offset) {
  function(X, FUN, ...) {
    seeded <- function(b, ...) {
      set.seed(seed + offset + b)
      FUN(b, ...)
    }
    cores <- if (.Platform$OS.type == "windows") 1L else as.integer(number("cores"))
    result <- parallel::mclapply(X, seeded, ..., mc.cores = cores, mc.set.seed = FALSE)
    failed <- vapply(result, function(one) is.null(one) || inherits(one, "try-error"), NA)
    if (any(failed)) stop("a worker failed: ", format(result[failed][[1]]))
    result
  }
}

set.seed(seed)
if (arg$model == "ctree") {
  fitted <- ctree(model, data, control = control(
    alpha = number("alpha"), minsplit = number("minsplit"), minbucket = number("minbucket")))
  trees <- list(node_party(fitted))
} else {
  fitted <- cforest(model, data, ntree = number("ntree"), mtry = ceiling(sqrt(p)),
                    perturb = list(replace = as.logical(arg$replace),
                                   fraction = number("fraction")),
                    control = control(mincriterion = number("mincriterion"), saveinfo = FALSE),
                    applyfun = each_tree(0))
  trees <- fitted$nodes
}

# The names of the features that a tree splits on, once per split.
splits <- lapply(trees, function(tree) {
  varids <- nodeapply(tree, nodeids(tree), function(node) {
    if (!is.terminal(node)) varid_split(split_node(node))
  })
  names(fitted$data)[unlist(varids)]
})

importance <- setNames(numeric(p), features)  # 0: a feature that no tree uses
if (arg$model == "ctree") {
  counts <- table(splits[[1]])
} else {
  set.seed(seed)
  counts <- varimp(fitted, nperm = number("nperm"), conditional = FALSE,
                   applyfun = each_tree(number("ntree")))
}
importance[names(counts)] <- counts

write <- function(table, file) write.csv(table, path(file), row.names = FALSE, quote = FALSE)
write(data.frame(feature = features, importance = sprintf("%.17g", importance)), "features.csv")
write(data.frame(tree = rep(seq_along(splits), lengths(splits)),
                 feature = unlist(splits, use.names = FALSE)), "splits.csv")
write(data.frame(depth = vapply(trees, depth, 0L)), "trees.csv")
