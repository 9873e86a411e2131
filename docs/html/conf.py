"""Documents as HTML pages that can be searched without a network (Sphinx with MyST; `make html`).

In: a copy of the tree's documents, made by the Makefile. Links to files that are no documents become plain text.
"""
import os
import re

project = 'teslapipe'
author = 'the teslapipe authors'
copyright = '2026 the teslapipe authors'
release = version = os.environ['TESLAPIPE_VERSION']
extensions = ['myst_parser']
myst_heading_anchors = 3
root_doc = 'index'
exclude_patterns = ['docs/html', 'docs/man']
html_theme = 'alabaster'
html_theme_options = {
    'description': 'a software GPU of the Tesla and Fermi generations',
    'fixed_sidebar': False,
    'page_width': '1100px',
}
html_sidebars = {'**': ['about.html', 'searchbox.html', 'navigation.html']}
html_copy_source = False
html_show_sourcelink = False
# Tables of the reference have columns of their own; text in listings is no language of Pygments.
highlight_language = 'none'
suppress_warnings = ['myst.header', 'myst.xref_missing', 'misc.highlighting_failure', 'toc.not_readable']

CONTENTS = [
    ('Start', ['README', 'CONTRIBUTING', 'CHANGELOG', 'docs/glossary', 'docs/architecture']),
    ('Programs', ['docs/programs', 'docs/instructions', 'docs/isa', 'docs/instruction-sets', 'docs/add-an-instruction']),
]


def contents(folder):
    """The index: chapters in order, then all other documents."""
    named = {page for _, pages in CONTENTS for page in pages}
    others = sorted(f'docs/{f[:-3]}' for f in os.listdir(f'{folder}/docs') if f.endswith('.md'))
    chapters = CONTENTS + [
        ('Topics', [page for page in others if page not in named]),
        ('Reference', sorted(f'docs/reference/{f[:-3]}' for f in os.listdir(f'{folder}/docs/reference') if f.endswith('.md'))),
        ('Log', sorted(f'docs/log/{f[:-3]}' for f in os.listdir(f'{folder}/docs/log') if f.endswith('.md'))),
    ]
    for title, pages in chapters:
        yield '```{toctree}\n:maxdepth: 1\n:caption: ' + title + '\n\n' + '\n'.join(pages) + '\n```\n'


def plain_links(app, document, source):
    """Links to files outside of the copy become text."""
    folder = os.path.join(app.srcdir, os.path.dirname(document))

    def link(match):
        target = match.group(2).split('#')[0]
        known = not target or ':' in target or os.path.isfile(os.path.join(folder, target))
        return match.group(0) if known else match.group(1)

    source[0] = re.sub(r'(?<!!)\[([^\]]*)\]\(([^)\s]+)\)', link, source[0])


def setup(app):
    with open(os.path.join(app.srcdir, 'index.md'), 'w') as index:
        index.write('# teslapipe\n\nA software GPU of NVIDIA\'s Tesla generation (G80 to GT21x), written in C.\n\n')
        index.write('\n'.join(contents(app.srcdir)))
    app.connect('source-read', plain_links)
