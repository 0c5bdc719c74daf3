"""Shares Textual's cache of style rules, which it keeps per app, among all apps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from textual.css.model import RuleSet
from textual.css.styles import RenderStyles, RulesMap
from textual.css.stylesheet import Stylesheet
from textual.css.tokenize import tokenize_values
from textual.css.tokenizer import Token
from textual.dom import DOMNode

APPLY = Stylesheet.apply
"""Textual's own."""
_FLAGS = ("_has_hover_style", "_has_focus_within", "_has_order_style", "_has_odd_or_even")
"""Attributes that `Stylesheet.apply` sets on a node, besides its style."""
_ACTING = ("layout", "display", "overflow_x", "overflow_y", "pointer")
"""Rules that do more than refresh when they are set, or whose values belong to one node."""


def share_rules(patch: pytest.MonkeyPatch) -> None:
    """Let the same text be parsed once."""
    parsed: dict[tuple[object, ...], list[RuleSet]] = {}
    parse = Stylesheet._parse_rules
    tokens: dict[tuple[tuple[str, str], ...], dict[str, list[Token]]] = {}

    def parse_once(self: Stylesheet, css: str, *args: Any, **options: Any) -> list[RuleSet]:
        key = (css, args, tuple(options.items()), tuple(self._variables.items()))
        if key not in parsed:
            parsed[key] = parse(self, css, *args, **options)
        return parsed[key]

    def tokenize_once(values: dict[str, str]) -> dict[str, list[Token]]:
        key = tuple(values.items())
        if key not in tokens:
            tokens[key] = tokenize_values(values)
        return {name: list(found) for name, found in tokens[key].items()}

    patch.setattr(Stylesheet, "_parse_rules", parse_once)
    patch.setattr("textual.css.stylesheet.tokenize_values", tokenize_once)


def share_styles(patch: pytest.MonkeyPatch) -> None:
    """Let the style of nodes that no selector can tell apart be found once.

    These have the same rules, and the same types, ids, classes and pseudo-classes that the rules name, and so
    do all nodes around them. A node that is the same as when it was last styled keeps its style.
    `share_rules` has to be on: it keeps all rules, which are known by their identity.
    """
    sheets: dict[tuple[int, ...], _Sheet] = {}
    own: WeakKeyDictionary[Stylesheet, tuple[list[RuleSet], _Sheet]] = WeakKeyDictionary()
    found: dict[int, RulesMap] = {}
    known: dict[object, _Finding] = {}
    places = _Places()
    replace_rules = Stylesheet.replace_rules
    update_nodes = Stylesheet.update_nodes

    def sheet_of(stylesheet: Stylesheet) -> _Sheet:
        rules = stylesheet.rules
        if stylesheet not in own or own[stylesheet][0] is not rules:
            own[stylesheet] = (rules, sheets.setdefault(tuple(map(id, rules)), _Sheet()))
        return own[stylesheet][1]

    def apply_once(self: Stylesheet, node: Any, *, animate: bool = False, cache: Any = None) -> None:
        key = sheet_of(self).key_of(self, node, places)
        before, node._styled_as = getattr(node, "_styled_as", None), key
        if before == key:
            _forget_colours(node)
        elif key in known:
            known[key].give(node, known.get(before), animate=animate)
        else:
            found.pop(id(node), None)
            node._component_styles = node._component_styles.copy()
            APPLY(self, node, animate=animate, cache=cache)
            known[key] = _Finding.of(node, found.pop(id(node), None))

    def update_together(self: Stylesheet, nodes: Iterable[DOMNode], animate: bool = False) -> None:
        with places.kept():
            update_nodes(self, nodes, animate=animate)

    def replaced(node: DOMNode, rules: RulesMap, animate: bool = False) -> None:
        found[id(node)] = rules
        replace_rules(node, rules, animate=animate)

    patch.setattr(Stylesheet, "apply", apply_once)
    patch.setattr(Stylesheet, "update_nodes", update_together)
    patch.setattr(Stylesheet, "replace_rules", staticmethod(replaced))


def _forget_colours(node: DOMNode) -> None:
    """A parent's may have changed, and show through."""
    node.notify_style_update()
    for styles in node._component_styles.values():
        if styles.node is not None:
            styles.node.notify_style_update()


@dataclass(frozen=True)
class _Finding:
    """The style of all nodes with one key."""

    rules: RulesMap | None
    """As found; None if there are none."""
    set: RulesMap
    """As a node has them after they were set, less `_ACTING`."""
    flags: tuple[bool, ...]
    components: dict[str, RulesMap]
    """The rules of the components."""

    @classmethod
    def of(cls, node: DOMNode, rules: RulesMap | None) -> _Finding:
        """The style that a node has just been given."""
        kept: Any = {name: value for name, value in node.styles.base._rules.items() if name not in _ACTING}
        components = {name: styles.base.get_rules() for name, styles in node._component_styles.items()}
        return cls(rules, kept, tuple(getattr(node, flag) for flag in _FLAGS), components)

    def give(self, node: DOMNode, before: _Finding | None, *, animate: bool) -> None:
        """Give a node this style, in place of the one `before`."""
        for flag, value in zip(_FLAGS, self.flags, strict=True):
            setattr(node, flag, value)
        if self.rules is not None:
            self._give_rules(node, self.rules, animate=animate)
        if self.components != (before.components if before else {}):
            node.refresh()
        node._component_styles = _Components(node, self.components)

    def _give_rules(self, node: DOMNode, rules: RulesMap, *, animate: bool) -> None:
        base = node.styles.base
        if node._is_mounted or base._rules or animate:
            Stylesheet.replace_rules(node, rules, animate=animate)
            return
        # A node that is not mounted is not refreshed with each rule.
        base.merge_rules(self.set)
        for name in _ACTING:
            if name in rules:
                setattr(base, name, rules.get(name))
        node.notify_style_update()


class _Components(dict[str, RenderStyles]):
    """The styles of a node's components, each made when it is asked for: most never are."""

    def __init__(self, node: DOMNode, rules: dict[str, RulesMap]) -> None:
        super().__init__()
        self._node = node
        self._rules = rules

    def __contains__(self, name: object) -> bool:
        return name in self._rules

    def __missing__(self, name: str) -> RenderStyles:
        component = DOMNode(classes=name)
        component._attach(self._node)
        component.styles.base.merge_rules(self._rules[name])
        self[name] = component.styles
        return component.styles

    def copy(self) -> dict[str, RenderStyles]:
        return {name: self[name] for name in self._rules}

    def clear(self) -> None:
        super().clear()
        self._rules = {}


class _Sheet:
    """The keys of nodes under one list of rules."""

    def __init__(self) -> None:
        self._pseudo_classes: dict[object, tuple[str, ...]] = {}

    def key_of(self, stylesheet: Stylesheet, node: DOMNode, places: _Places) -> object:
        """Key of everything that decides the style of a node and its components."""
        kind = (type(node), node._id, frozenset(node._classes))
        if (names := self._pseudo_classes.get(kind)) is None:
            names = self._pseudo_classes[kind] = _named_for(stylesheet, node)
        return (self, names, places.inside(node._parent, names), _state(node, names))


class _Places:
    """The states of the nodes that others are in."""

    def __init__(self) -> None:
        self._keeps = False
        self._states: dict[tuple[int, tuple[str, ...]], tuple[object, ...]] = {}

    @contextmanager
    def kept(self) -> Iterator[None]:
        """While the block runs, they are found once: no state changes before all nodes have their style."""
        self._keeps = True
        try:
            yield
        finally:
            self._keeps = False
            self._states.clear()

    def inside(self, node: Any, names: tuple[str, ...]) -> tuple[object, ...]:
        """The states of the nodes from the app to this one."""
        if not isinstance(node, DOMNode):
            return ()
        if (states := self._states.get((id(node), names))) is None:
            states = (*self.inside(node._parent, names), _state(node, names))
            if self._keeps:
                self._states[id(node), names] = states
        return states


def _state(node: Any, pseudo_classes: tuple[str, ...]) -> object:
    has = node._PSEUDO_CLASSES
    held = tuple([name for name in pseudo_classes if name in has and has[name](node)])
    return type(node), node._id, frozenset(node._classes), held


def _named_for(stylesheet: Stylesheet, node: DOMNode) -> tuple[str, ...]:
    """The pseudo-classes in the rules that may apply to a node or to one of its components."""
    selected = {*node._selector_names, *(f".{name}" for name in node._get_component_classes())}
    rules = {rule for name in selected for rule in stylesheet.rules_map.get(name, ())}
    selectors = (each for rule in rules for group in rule.selector_set for each in group.selectors)
    return tuple(sorted({name for selector in selectors for name in selector.pseudo_classes}))
