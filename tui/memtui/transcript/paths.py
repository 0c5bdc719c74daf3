"""Paths as transcripts hold them: of any machine, so never touched on disk; the roles of files by path."""

from __future__ import annotations

import ntpath
import posixpath
import re
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from memtui.ground.clean import clean_line
from memtui.transcript.shell import FORMATTERS, LINTERS, TEST_RUNNERS

_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_RELATIVE_PART = re.compile(r"[\\/]\.{1,2}(?:[\\/]|$)|(?<=[^\\/:])[\\/]{2,}")


def is_absolute(path: str) -> bool:
    return path.startswith("/") or bool(_DRIVE.match(path))


def absolute(path: str, cwd: str) -> str:
    """`path` made absolute against the folder its line was written in, without ``.`` and ``..`` parts."""
    if not is_absolute(path) and is_absolute(cwd):
        path = ntpath.join(cwd, path) if _DRIVE.match(cwd) else posixpath.join(cwd, path)
    if ("/." in path or "//" in path or "\\" in path) and _RELATIVE_PART.search(path):
        path = ntpath.normpath(path) if _DRIVE.match(path) else posixpath.normpath(path)
    return path


def path_identity(path: str) -> str:
    """The form by which two spellings of a path are compared."""
    return path if path.startswith("/") or not _DRIVE.match(path) else ntpath.normcase(path)


def is_inside(path: str, root: str) -> bool:
    path, root = path_identity(path), path_identity(root.rstrip("\\/"))
    return bool(root) and path.startswith(root) and path[len(root) : len(root) + 1] in ("", "/", "\\")


def shown_path(path: str, root: Path | None) -> str:
    """A path for display: relative to the project if it is inside, and one line whatever it holds."""
    top = str(root).rstrip("\\/") if root is not None else ""
    shown = path[len(top) + 1 :] if path != top and is_inside(path, top) else path
    return shown if shown.isprintable() else clean_line(shown)


class Kind(IntEnum):
    """Kind of a file; more important kinds come first."""

    SOURCE = 0
    TYPES = 1
    CONFIG = 2
    TEST = 3
    DOCS = 4
    ASSET = 5
    SCRATCH = 6


@dataclass(frozen=True, slots=True)
class Role:
    """A file's role."""

    kind: Kind
    text: str
    """For ``(role: ...)``."""


OTHER = "file"  # the role of a file whose path says nothing about it

_SCRATCH = re.compile(
    r"^(?:/private)?/(?:tmp|var/folders|dev)/|[\\/]AppData[\\/]Local[\\/]Temp[\\/]", re.IGNORECASE
)

_CODE = (
    "py|pyi|tsx?|jsx?|mjs|cjs|go|rs|rb|php|java|kts?|cs|swift|exs?|erl|c|cc|cpp|cxx|h|hh|hpp|m|mm|scala|clj|hs|ml"
    "|lua|dart|r|jl|zig|nim|pl|sol|vb|fs|groovy|sh|bats|sql|bash|zsh|fish|ps1|bat|cmd|ipynb"
    "|css|scss|sass|less|styl|tcss|html?|vue|svelte|astro|ejs|hbs|jinja2?|j2|erb|liquid|pug|twig"
)
"""Extensions of source code."""

_RULES = rf"""
SCRATCH tool output: /\.claude/projects/.*/tool-results/
DOCS plan: /plans?/[^/]+\.md$|/(?:IMPL_|IMPLEMENTATION_)?PLAN\.md$
CONFIG project instructions: /(?:CLAUDE(?:\.local)?|AGENTS|GEMINI)\.md$|/\.(?:cursorrules|windsurfrules)$
DOCS memory of Claude Code: /\.claude/projects/.*\.md$
CONFIG slash command: /\.claude/commands/.*\.md$
CONFIG agent instructions: /\.claude/agents/.*\.md$
CONFIG skill: /skills?/.*\.md$
CONFIG settings of Claude Code: /\.claude/settings[\w.]*\.json$
ASSET lock file: /(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|uv\.lock|poetry\.lock
  |Cargo\.lock|go\.sum|Gemfile\.lock|composer\.lock|Pipfile\.lock)$
CONFIG CI workflow: /\.github/workflows/|/\.gitlab-ci\.yml$|/\.circleci/|/Jenkinsfile$
  |/azure-pipelines\.yml$
TEST test setup: /conftest\.py$|/(?:{"|".join(TEST_RUNNERS)})\.(?:config|setup)\.\w+$|/testutil[s]?/
TEST end-to-end tests: /(?:e2e|e2e[-_]tests?|cypress|playwright)/.*\.(?!md$|txt$)\w+$|\.e2e\.\w+$
TEST test data: /(?:__)?(?:fixtures?|testdata|snapshots|__mocks__|golden|cassettes)(?:__)?/
TEST integration tests: /(?:integration(?:[-_]tests?)?|tests?/integration)/
TEST tests: [._-](?:test|tests|spec)\.\w+$|/test_[^/]+\.\w+$|/[A-Z]\w*Tests?\.(?:java|kt|cs|swift)$
TEST test code: /(?:__tests__|tests?|specs?)/(?:.*/)?[^/]+\.(?:{_CODE})$
CONFIG dependencies: /(?:package\.json|pyproject\.toml|Cargo\.toml|go\.mod|(?:dev-
  |test-)?requirements[\w.-]*\.(?:txt|in)|setup\.(?:py|cfg)|Pipfile|Gemfile|composer\.json|pom\.xml
  |build\.gradle(?:\.kts)?|mix\.exs|pubspec\.yaml|environment\.ya?ml|[^/]+\.csproj|Package\.swift
  |deno\.jsonc?|[^/]+\.gemspec)$
CONFIG container build: /(?:Dockerfile|Containerfile)[\w.-]*$|/(?:docker-)?compose[\w.-]*\.ya?ml$
  |\.dockerfile$
CONFIG build script: /(?:Makefile|GNUmakefile|justfile|Taskfile\.ya?ml|Rakefile|CMakeLists\.txt|mise\.toml
  |[^/]+\.mk|\.goreleaser\.ya?ml)$
CONFIG environment: /\.env[\w.-]*$|/\.envrc$|/\.tool-versions$|/\.(?:nvmrc|python-version|node-version)$
ASSET ignore list: /\.\w+ignore$
CONFIG TypeScript configuration: /[tj]sconfig[\w.-]*\.json$
CONFIG linter configuration: /\.?(?:{"|".join(LINTERS | FORMATTERS)}|golangci
  |pre-commit)(?:rc)?(?:[.-][\w.-]*)?$
DOCS readme: /README[\w.-]*$
DOCS documentation: \.(?:md|mdx|rst|adoc|org|tex|qmd)$
DOCS text file: \.txt$
TYPES database schema: /(?:migrations?|alembic/versions)/|/schema\.(?:prisma|sql|rb)$
TYPES interface definition: \.(?:proto|graphql|gql|thrift|avsc|wsdl)$|/openapi[\w.-]*\.(?:json|ya?ml)$
TYPES type definitions: \.d\.[mc]?ts$|/(?:types?|interfaces?|typings)/[^/]+\.\w+$|/(?:types?|interfaces
  |typings|protocols)\.\w+$
TYPES schema: /schemas?/[^/]+\.\w+$|[._-]?schemas?\.(?:json|ts|py|go|rb)$
TYPES model: /(?:models?|entit(?:y|ies))/[^/]+\.\w+$|/models?\.\w+$
ASSET asset: \.(?:png|jpe?g|gif|svg|ico|webp|pdf|woff2?|ttf|mp[34]|wav|zip|gz|tar|db|sqlite\d?|bin|lock)$
CONFIG configuration: /(?:config|conf|settings)(?:/[^/.]+|(?:/[^/]+)?(?!\.(?:{_CODE})$)\.\w+)$
  |\.config\.[mc]?[jt]s$|\.(?:toml|ini|cfg|conf|properties|ya?ml|plist|tfvars|tf|hcl|nix|service)$
  |/\.[\w.-]+(?:rc|ignore|config|attributes)$
CONFIG configuration: ^/[\w.-]+\.jsonc?$
ASSET data: \.(?:jsonl?|csv|tsv|xml|ndjson|parquet|log)$
"""
"""Kind, role and pattern of paths with forward slashes; the first match counts (seed 000)."""

_READ = re.findall(r"(\w+) ([^:]+): (.+)", _RULES.replace("\n  ", ""))
_COMPILED = [(Kind[kind], role, re.compile(pattern, re.IGNORECASE)) for kind, role, pattern in _READ]
_SOURCE = re.compile(rf"\.(?:{_CODE})$", re.IGNORECASE)


def role_of(path: str, root: str = "") -> Role:
    """The role of a file by its absolute path, of Unix or Windows; the name of `root` says nothing."""
    inside = inside_of(path, root)
    slashes = "/" + inside.replace("\\", "/").lstrip("/")
    if inside == path and _SCRATCH.search(path):
        return Role(Kind.SCRATCH, "scratch file")
    for kind, role, pattern in _COMPILED:
        if pattern.search(slashes):
            return Role(kind, role)
    return Role(Kind.SOURCE, "implementation" if _SOURCE.search(slashes) else OTHER)


def inside_of(path: str, root: str) -> str:
    """A path relative to the root; unchanged if it is elsewhere."""
    root = root.rstrip("\\/")
    return path[len(root) :].lstrip("\\/") if is_inside(path, root) else path


def name_of(path: str) -> str:
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1]


_WORKTREE = re.compile(
    r"(?<!^[\\/]Users[\\/])(?<!^[\\/]home[\\/])(?<![^\\/])(?P<repository>[^.\\/][^\\/]*)"
    r"[\\/](?:\.claude[\\/]worktrees|\.worktrees|worktrees(?=[\\/](?P=repository)))[\\/]"
)
"""A folder of worktrees in their repository's folder, by its name or by theirs; not in a home folder."""


def project_of(root: str) -> str:
    """The name of a project by its root folder; a worktree inside its repository has that one's name."""
    found = _WORKTREE.search(root)
    return found["repository"] if found else name_of(root) or root


def folder_of(path: str) -> str:
    return path[: len(path) - len(name_of(path))].rstrip("\\/")
