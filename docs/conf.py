"""How the documentation site is built: `make docs`. No network is needed."""

import os
import re
from pathlib import Path

import inforest

os.environ.setdefault("MPLBACKEND", "agg")
ROOT = Path(__file__).resolve().parents[1]

project = "inforest"
author = "inforest developers"
copyright = "inforest developers"  # noqa: A001
release = version = inforest.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
]
exclude_patterns = ["scripts", "_static", "**/GALLERY_HEADER.rst"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["config.cache"]

autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "inherited-members": True}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_signature": False,
    "show_memory": False,
    "abort_on_example_error": True,
    "plot_gallery": True,
    "within_subsection_order": "FileNameSortKey",
}

html_theme = "pydata_sphinx_theme"
html_title = "inforest"
html_static_path = ["_static"]
html_css_files = ["inforest.css"]
html_theme_options = {
    "navbar_align": "left",
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"start": [], "api": [], "index": []}
html_show_sourcelink = False
html_copy_source = True

#: Links that are right on a code host, and what they are on the site.
ELSEWHERE = {
    "../CHANGELOG.md": "changelog.md",
    "../CONTRIBUTING.md": "contributing.md",
    "../DESIGN.md": "design.md",
    "../README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "../SECURITY.md": "security.md",
    "SECURITY.md": "security.md",
    "DESIGN.md": "design.md",
}


def mend_links(app, docname, source):
    """Point links at files outside docs/ to their pages on the site."""
    for old, new in ELSEWHERE.items():
        source[0] = source[0].replace(f"]({old}", f"]({new}")
    source[0] = re.sub(r"\[([^\]]+)\]\((?:\.\./)?results/[^)]+\)", r"\1", source[0])


def mend_included(app, relative_path, parent_docname, content):
    """Do the same in files that a page includes."""
    mend_links(app, parent_docname, content)
    content[0] = re.sub(r"\]\(docs/", "](", content[0])
    content[0] = re.sub(r"\[([^\]]+)\]\(results/[^)]+\)", r"\1", content[0])


def write_llms(app, exception):
    """Write llms.txt: every page of the guide with its first sentence, as plain text files."""
    if exception or app.builder.name != "html":
        return
    lines = ["# inforest", "", "> " + (inforest.__doc__ or "").strip(), ""]
    for name in sorted(app.env.found_docs):
        page = Path(app.srcdir, f"{name}.md")
        if not page.exists():
            continue
        text = page.read_text()
        title = re.search(r"^# (.+)$", text, re.MULTILINE)
        first = re.search(r"^(?![#`:|!<\[(\s>-])(.+?[.:])(\s|$)", text, re.MULTILINE)
        if title and first:
            lines.append(f"- [{title[1]}](_sources/{name}.md.txt): {first[1]}")
    lines += ["- [API reference](api.html): every public name", ""]
    Path(app.outdir, "llms.txt").write_text("\n".join(lines))


def mend_docstring(app, what, name, obj, options, lines):
    """Quote what reStructuredText would take for a link: n_features_in_, |r|, labels of others."""
    for i, line in enumerate(lines):
        if line.lstrip().startswith((">>>", "...")):
            continue
        name_of = re.match(r"\w+ : |\w+$|", line)[0]  # a parameter or an attribute
        text = re.sub(r":ref:`([^`<]+?)\s*(<[^>]*>)?`", r"\1", line.removeprefix(name_of))
        parts = re.split(r"(``.*?``)", text)
        for j in range(0, len(parts), 2):
            parts[j] = re.sub(r"(?<![`\w.])([a-z]\w*_)(?![`\w])", r"``\1``", parts[j])
            parts[j] = parts[j].replace("|", r"\|")
        lines[i] = name_of + "".join(parts)


def setup(app):
    app.connect("autodoc-process-docstring", mend_docstring, priority=1)
    app.connect("source-read", mend_links)
    app.connect("include-read", mend_included)
    app.connect("build-finished", write_llms)
