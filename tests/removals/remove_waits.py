#!/usr/bin/env python3
"""Writes a copy of the headers in which each wait and each condition of the ledger can be removed.

    remove_waits.py INCLUDE OUT HEADER...

HEADERs are named relative to INCLUDE, and copied to OUT. DEVMEM_REMOVE=n then removes number n of
OUT/removals.tsv: a call above the seam that waits, records or synchronises, or a condition, which is
made false or true. Of `a && b` each operand is made true and of `a || b` false, which is to remove
it; the whole is made both where nothing else makes it so. What was found is counted in
OUT/removals.count, for a test that counts again in another way.
"""
import re
import sys
from pathlib import Path

# Functions of the backend's table, called through it.
TABLE_CALLS = ("stream_wait_event", "event_record", "event_synchronize", "stream_synchronize",
               "synchronize_device")
# devmem's own, which lead there, and those that keep the clocks of the order check.
OWN_CALLS = ("wait_for", "make_wait", "record_end", "record_ended", "synchronize_work",
             "synchronize_all", "synchronize_stream", "settle", "note_record", "note_wait",
             "note_passed", "note_synchronize", "queue_after_host")
# Where conditions are removed too; of the pool, where it looks for a block.
CONDITIONS = {f"devmem/{name}.hpp": None for name in (
    "memory/ledger", "memory/ledger_state", "memory/ledger_word", "memory/uses",
    "memory/conflicts", "memory/reclaim", "memory/give_back", "memory/slices", "memory/hazard",
    "memory/obtain", "stream/order", "stream/retire", "stream/clock")}
CONDITIONS["devmem/memory/pool.hpp"] = r"block\* take\(.*?\n    }\n"

SPACE = " \t\n"
OPENING, CLOSING = "([{", ")]}"


def masked(text):
    """The text with comments, literals and directives blanked, each character in its place."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#[^\n]*',
                  blank, text, flags=re.S | re.M)


class Header:
    """One header, and what is to be removed in it."""

    def __init__(self, name, text):
        self.name, self.text, self.code = name, text, masked(text)
        self.wraps = []  # (begin, end, what, text of the site)
        self.decided = set()  # extents that a wrap makes false and true
        self.counts = {}
        self.find_calls(TABLE_CALLS, r"(?<=[.>])")
        self.find_calls(OWN_CALLS, r"\b")
        if name in CONDITIONS:
            self.begin, self.end = 0, len(text)
            if CONDITIONS[name]:
                # A function is taken whole, so that none of it is missed; it must be there.
                found = re.search(CONDITIONS[name], self.code, flags=re.S)
                self.begin, self.end = found.span()
            self.find_ifs()
            self.find_choices()
            self.find_chains()

    def count(self, what, by=1):
        self.counts[what] = self.counts.get(what, 0) + by

    def closing(self, at):
        """The end of the brackets that open at `at`."""
        depth = 0
        for i in range(at, len(self.code)):
            depth += (self.code[i] in OPENING) - (self.code[i] in CLOSING)
            if depth == 0:
                return i
        raise ValueError(f"{self.name}: a bracket is not closed")

    def opening(self, at):
        depth = 0
        for i in range(at, -1, -1):
            depth += (self.code[i] in CLOSING) - (self.code[i] in OPENING)
            if depth == 0:
                return i
        raise ValueError(f"{self.name}: a bracket is not opened")

    def trimmed(self, begin, end):
        while self.code[begin] in SPACE:
            begin += 1
        while self.code[end - 1] in SPACE:
            end -= 1
        return begin, end

    def ends_here(self, i):
        """Whether an operand of &&, || or ?: can reach over the character at `i`, going either way."""
        c, before, after = self.code[i], self.code[i - 1], self.code[i + 1]
        if c in ",;?":
            return True
        if c == ":":
            return ":" not in (before, after)
        if c == "=":
            return after != "=" and before not in "=!<>"
        return False

    def expression_before(self, at):
        """Where the operand that ends before `at` begins."""
        i = at - 1
        while True:
            c = self.code[i]
            if c in OPENING or self.ends_here(i):
                return i + 1
            if c in CLOSING:
                opened = self.opening(i)
                # A block, not a list of initialisers, which follows its type without a space.
                if c == "}" and self.code[opened - 1] in SPACE:
                    return i + 1
                i = opened
            elif re.search(r"\breturn$", self.code[max(0, i - 7):i + 1]):
                return i + 1
            i -= 1

    def expression_after(self, at):
        i = at
        while True:
            c = self.code[i]
            if c in CLOSING or self.ends_here(i):
                return i
            if c in OPENING:
                i = self.closing(i)
            i += 1

    def add(self, begin, end, what):
        self.wraps.append((begin, end, what, " ".join(self.text[begin:end].split())))

    def find_calls(self, names, before):
        for match in re.finditer(before + r"(" + "|".join(names) + r")\(", self.code):
            begin = match.start()
            # s.table->event_record( begins at s.
            while True:
                chain = re.search(r"(\w+|\))\s*(\.|->|::)\s*$", self.code[:begin])
                if not chain:
                    break
                begin = chain.start()
                if chain.group(1) == ")":
                    opened = self.opening(begin)
                    begin = re.search(r"\w*$", self.code[:opened]).start()
            word = re.search(r"(\w+|[&*>])\s*$", self.code[:begin])
            if word and word.group(1) not in ("return", "else"):
                continue  # a type: this declares it
            self.count(match.group(1))
            self.add(begin, self.closing(match.end() - 1) + 1, "removed")

    def find_ifs(self):
        for match in re.finditer(r"\bif( constexpr)? \(", self.code):
            if not self.begin <= match.start() < self.end:
                continue
            if match.group(1):
                continue  # not decided at run time
            self.count("if")
            opened, closed = match.end() - 1, self.closing(match.end() - 1)
            begin = opened + 1
            for i in range(begin, closed):  # after an initialiser
                if self.code[i] == ";":
                    begin = i + 1
            begin, end = self.trimmed(begin, closed)
            self.decided.add((begin, end))
            declared = re.match(r"[^=!<>()]*?(\w+)\s*=(?!=)", self.code[begin:end])
            if declared:
                self.wraps.append((begin, end, declared.group(1),
                                   " ".join(self.text[begin:end].split())))
            else:
                self.add(begin, end, "either")

    def find_choices(self):
        for match in re.finditer(r"\?", self.code):
            if not self.begin <= match.start() < self.end:
                continue
            self.count("?")
            begin, end = self.trimmed(self.expression_before(match.start()), match.start())
            self.decided.add((begin, end))
            self.add(begin, end, "either")

    def find_chains(self):
        chains = {}
        for match in re.finditer(r"(?<=[ \n])(&&|\|\|)(?=[ \n])", self.code):
            if not self.begin <= match.start() < self.end:
                continue
            self.count(match.group())
            at = match.start()
            extent = self.trimmed(self.expression_before(at), self.expression_after(at))
            chains.setdefault(extent, []).append((at, match.group()))
        for (begin, end), operators in chains.items():
            self.split(begin, end, operators)
            # As an operand in brackets it is made so by the chain that it is a part of.
            inner = self.code[begin - 1] == "(" and self.code[end] == ")" and any(
                b == begin - 1 and e == end + 1 for b, e, _, _ in self.wraps)
            if (begin, end) not in self.decided and not inner:
                self.add(begin, end, "whole")

    def split(self, begin, end, operators):
        word = "||" if any(w == "||" for _, w in operators) else "&&"
        edges = [begin]
        for at, w in operators:
            if w == word:
                edges += [at, at + 2]
        edges.append(end)
        for b, e in zip(edges[::2], edges[1::2]):
            b, e = self.trimmed(b, e)
            self.add(b, e, "false" if word == "||" else "true")
            inside = [(at, w) for at, w in operators if b <= at < e]
            if inside:
                self.split(b, e, inside)

    def named(self, line):
        """The line of that number and, as long as it occurs more than once, those after it."""
        lines = [each.strip() for each in self.text.splitlines()]
        for end in range(line, len(lines)):
            whole = lines[line - 1:end]
            if sum(lines[i:i + len(whole)] == whole for i in range(len(lines))) == 1:
                break
        return " ".join(whole)

    def written(self, table):
        """The header with its wraps, which are numbered in `table`."""
        edits = []
        for begin, end, what, site in sorted(self.wraps, key=lambda w: (w[0], -w[1])):
            line = self.text.count("\n", 0, begin) + 1
            whole = self.named(line)
            def number(kind):
                table.append((f"{self.name}:{line}", kind, site, whole))
                return len(table)
            if what == "removed":
                n = number("removed")
                head = (f"(::devmem_removal::in_force == {n} ? ::devmem_removal::nothing<decltype("
                        f"{self.text[begin:end]})>() : ")
                tail = ")"
            else:
                false = number("false") if what != "true" else 0
                true = number("true") if what != "false" else 0
                call = f"::devmem_removal::condition({false}, {true}, static_cast<bool>("
                head, tail = call, "))"
                if what == "whole":  # a loop's may be there for what it does
                    head = f"(::devmem_removal::is_chosen({false}) ? false : "
                    head += f"::devmem_removal::is_chosen({true}) ? true : ("
                elif what not in ("false", "true", "either"):  # the name that is declared
                    head, tail = "", f"; {call}{what}))"
            edits.append((begin, 1, begin - end, head))
            edits.append((end, 0, -begin, tail))
        out, done = [], 0
        for at, _, _, text in sorted(edits, key=lambda e: e[:3]):
            out += [self.text[done:at], text]
            done = at
        out.append(self.text[done:])
        return "".join(out).replace("#pragma once\n", "#pragma once\n#include <devmem_removal.hpp>\n", 1)


def main():
    include, out, names = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    table, counts = [], []
    for name in names:
        text = (include / name).read_text()
        if not name.startswith("devmem/backend"):
            header = Header(name, text)
            text = header.written(table)
            counts += [f"{name} {what} {n}\n" for what, n in sorted(header.counts.items())]
        target = out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        # What has not changed need not be compiled again.
        if not target.exists() or target.read_text() != text:
            target.write_text(text)
    (out / "removals.count").write_text("".join(counts))
    (out / "removals.tsv").write_text(
        "".join("\t".join((str(i + 1), *row)) + "\n" for i, row in enumerate(table)))


main()
