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

_RULES: tuple[tuple[Kind, str, str], ...] = (
    (Kind.SCRATCH, "tool output", r"/\.claude/projects/.*/tool-results/"),
    (Kind.DOCS, "plan", r"/plans?/[^/]+\.md$|/(?:IMPL_|IMPLEMENTATION_)?PLAN\.md$"),
    (Kind.CONFIG, "project instructions",
     r"/(?:CLAUDE(?:\.local)?|AGENTS|GEMINI)\.md$|/\.(?:cursorrules|windsurfrules)$"),
    (Kind.DOCS, "memory of Claude Code", r"/\.claude/projects/.*\.md$"),
    (Kind.CONFIG, "slash command", r"/\.claude/commands/.*\.md$"),
    (Kind.CONFIG, "agent instructions", r"/\.claude/agents/.*\.md$"),
    (Kind.CONFIG, "skill", r"/skills?/.*\.md$"),
    (Kind.CONFIG, "settings of Claude Code", r"/\.claude/settings[\w.]*\.json$"),
    (Kind.ASSET, "lock file",
     r"/(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|uv\.lock|poetry\.lock"
     r"|Cargo\.lock|go\.sum|Gemfile\.lock|composer\.lock|Pipfile\.lock)$"),
    (Kind.CONFIG, "CI workflow",
     r"/\.github/workflows/|/\.gitlab-ci\.yml$|/\.circleci/|/Jenkinsfile$"
     r"|/azure-pipelines\.yml$"),
    (Kind.TEST, "test setup",
     rf"/conftest\.py$|/(?:{'|'.join(TEST_RUNNERS)})\.(?:config|setup)\.\w+$"
     r"|/testutil[s]?/"),
    (Kind.TEST, "end-to-end tests",
     r"/(?:e2e|e2e[-_]tests?|cypress|playwright)/.*\.(?!md$|txt$)\w+$|\.e2e\.\w+$"),
    (Kind.TEST, "test data",
     r"/(?:__)?(?:fixtures?|testdata|snapshots|__mocks__|golden|cassettes)(?:__)?/"),
    (Kind.TEST, "integration tests", r"/(?:integration(?:[-_]tests?)?|tests?/integration)/"),
    (Kind.TEST, "tests",
     r"[._-](?:test|tests|spec)\.\w+$|/test_[^/]+\.\w+$|/[A-Z]\w*Tests?\.(?:java|kt|cs|swift)$"),
    (Kind.TEST, "test code", rf"/(?:__tests__|tests?|specs?)/(?:.*/)?[^/]+\.(?:{_CODE})$"),
    (Kind.CONFIG, "dependencies",
     r"/(?:package\.json|pyproject\.toml|Cargo\.toml|go\.mod|(?:dev-"
     r"|test-)?requirements[\w.-]*\.(?:txt|in)|setup\.(?:py|cfg)|Pipfile|Gemfile"
     r"|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|mix\.exs|pubspec\.yaml"
     r"|environment\.ya?ml|[^/]+\.csproj|Package\.swift|deno\.jsonc?|[^/]+\.gemspec)$"),
    (Kind.CONFIG, "container build",
     r"/(?:Dockerfile|Containerfile)[\w.-]*$|/(?:docker-)?compose[\w.-]*\.ya?ml$"
     r"|\.dockerfile$"),
    (Kind.CONFIG, "build script",
     r"/(?:Makefile|GNUmakefile|justfile|Taskfile\.ya?ml|Rakefile|CMakeLists\.txt"
     r"|mise\.toml|[^/]+\.mk|\.goreleaser\.ya?ml)$"),
    (Kind.CONFIG, "environment",
     r"/\.env[\w.-]*$|/\.envrc$|/\.tool-versions$|/\.(?:nvmrc|python-version|node-version)$"),
    (Kind.ASSET, "ignore list", r"/\.\w+ignore$"),
    (Kind.CONFIG, "TypeScript configuration", r"/[tj]sconfig[\w.-]*\.json$"),
    (Kind.CONFIG, "linter configuration",
     rf"/\.?(?:{'|'.join(LINTERS | FORMATTERS)}|golangci|pre-commit)"
     r"(?:rc)?(?:[.-][\w.-]*)?$"),
    (Kind.DOCS, "readme", r"/README[\w.-]*$"),
    (Kind.DOCS, "documentation", r"\.(?:md|mdx|rst|adoc|org|tex|qmd)$"),
    (Kind.DOCS, "text file", r"\.txt$"),
    (Kind.TYPES, "database schema", r"/(?:migrations?|alembic/versions)/|/schema\.(?:prisma|sql|rb)$"),
    (Kind.TYPES, "interface definition",
     r"\.(?:proto|graphql|gql|thrift|avsc|wsdl)$|/openapi[\w.-]*\.(?:json|ya?ml)$"),
    (Kind.TYPES, "type definitions",
     r"\.d\.[mc]?ts$|/(?:types?|interfaces?|typings)/[^/]+\.\w+$|/(?:types?|interfaces"
     r"|typings|protocols)\.\w+$"),
    (Kind.TYPES, "schema", r"/schemas?/[^/]+\.\w+$|[._-]?schemas?\.(?:json|ts|py|go|rb)$"),
    (Kind.TYPES, "model", r"/(?:models?|entit(?:y|ies))/[^/]+\.\w+$|/models?\.\w+$"),
    (Kind.ASSET, "asset",
     r"\.(?:png|jpe?g|gif|svg|ico|webp|pdf|woff2?|ttf|mp[34]|wav|zip|gz|tar|db|sqlite\d?"
     r"|bin|lock)$"),
    (Kind.CONFIG, "configuration",
     rf"/(?:config|conf|settings)(?:/[^/.]+|(?:/[^/]+)?(?!\.(?:{_CODE})$)\.\w+)$|\.config\.[mc]?[jt]s$"
     r"|\.(?:toml|ini|cfg|conf|properties|ya?ml|plist|tfvars|tf|hcl|nix|service)$"
     r"|/\.[\w.-]+(?:rc|ignore|config|attributes)$"),
    (Kind.CONFIG, "configuration", r"^/[\w.-]+\.jsonc?$"),
    (Kind.ASSET, "data", r"\.(?:jsonl?|csv|tsv|xml|ndjson|parquet|log)$"),
)  # fmt: skip
"""Kind, role and pattern of paths with forward slashes; the first match counts (seed 000)."""

_COMPILED = tuple((kind, role, re.compile(pattern, re.IGNORECASE)) for kind, role, pattern in _RULES)
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
