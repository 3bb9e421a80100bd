"""Makes the mutants of C source: one small change each, outside comments, strings and preprocessor lines.

SPDX-License-Identifier: Apache-2.0
"""
import dataclasses
import pathlib
import re

TOKEN = re.compile(r"""
    (?P<skip>\s+|/\*.*?\*/)
  | (?P<directive>(?:^|(?<=\n))[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
  | (?P<string>"(?:\\.|[^"\\])*")
  | (?P<char>'(?:\\.[0-9a-fA-F]*|[^'\\])')
  | (?P<number>\.?[0-9][0-9A-Za-z.]*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.VERBOSE | re.DOTALL)

# What an operator between two operands becomes: its neighbours, then its opposite.
BINARY = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"],
    "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"], "?": ["== 0 ?"],
    "+=": ["-="], "-=": ["+="], "*=": ["/="], "|=": ["&="], "&=": ["|="], "^=": ["|="], "<<=": [">>="],
    ">>=": ["<<="],
}
UNARY = {"!": [""], "~": [""], "-": [""]}
STEP = {"++": ["--"], "--": ["++"]}
# Words that start no statement to be left out: declarations, and what is changed in its own way.
NO_EXPRESSION = {"const", "static", "struct", "enum", "int", "unsigned", "char", "void", "if", "else", "for", "while",
                 "do", "switch", "case", "default", "return", "break", "continue", "sizeof"}
OPERAND_BEFORE = {"word", "number", "char", "string"}
CHAR_CODES = {"\\n": 10, "\\t": 9, "\\r": 13, "\\f": 12, "\\v": 11, "\\0": 0, "\\\\": 92, "\\'": 39}
# Enumerators made by lists of rows, which no enum of the source spells out.
LISTED_FAMILIES = re.compile(r"(KW|CLASS|D1GUARD_REASON|D1GUARD_KIND|D1GUARD_TOKEN|D1GUARD_RISK|D1GUARD_EXPLAIN"
                             r"|D1GUARD_FORM|D1GUARD_ENGINE)_[A-Z0-9_]+$")
# X(cell, ...) in a .def file
ROW = re.compile(r"\bX\(((?:[^()]|\([^()]*\))*)\)")
CELL = re.compile(r"[^\s,()][^,()]*(?:\([^()]*\))?")


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int

    @property
    def end(self):
        return self.start + len(self.text)


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    function: str
    start: int
    end: int
    new: str  # stands for the bytes from start to end
    line: int
    last_line: int
    before: str  # the lines that hold the change, blanks folded
    after: str

    @property
    def key(self):
        """What names it: no line number, so that it holds while other lines come and go."""
        return self.file, self.function, self.before, self.after


def fold(text):
    """On one line, without comments: what names a mutant stays while these change."""
    return " ".join(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).split())


class Source:
    """A file of lib/ and the mutants of it."""

    def __init__(self, name, text, families):
        self.name, self.text, self.families = name, text, families
        self.function = ""
        self.part = 0, len(text)  # where the function stands
        self.used = set()  # enumerators of the current function
        self.mutants = []

    def add(self, start, end, new, part=None):
        """Puts `new` in the place of what is from start to end; it is named by the lines, or the part, around it."""
        first, last = part or (self.text.rfind("\n", 0, start) + 1, self.text.find("\n", end))
        last = len(self.text) if last < 0 else last
        before = fold(self.text[first:last])
        after = fold(self.text[first:start] + new + self.text[end:last])
        if before == after:
            return
        line = self.text.count("\n", 0, start) + 1
        last_line = line + self.text.count("\n", start, end)
        lead = "" if part else self.lines_before(first)
        self.mutants.append(Mutant(self.name, self.function, start, end, new, line, last_line, lead + before,
                                   lead + after))

    def lines_before(self, first):
        """Of the line at first, as many before it as make it one of a kind in its part; each followed by a stroke."""
        begin, end = self.part
        numbered = [(number, fold(line)) for number, line in enumerate(self.text[begin:end].splitlines())]
        numbered = [(number, line) for number, line in numbered if line]
        lines = [line for _, line in numbered]
        at = [number for number, _ in numbered].index(self.text.count("\n", begin, first))
        count = 1
        while count <= at and sum(lines[i:i + count] == lines[at - count + 1:at + 1] for i in range(len(lines))) > 1:
            count += 1
        return "".join(line + " / " for line in lines[at - count + 1:at])

    def change(self, token, texts):
        for text in texts:
            self.add(token.start, token.end, text)

    def other_of_family(self, word):
        """The next enumerator of the same enum, one that the function does not name where there is one."""
        family = self.families.get(word)
        if not family or len(family) < 2:
            return []
        at = family.index(word)
        others = family[at + 1:] + family[:at]
        return [next((other for other in others if other not in self.used), others[0])]

    def constant(self, token, part=None, truth=False):
        """One more, one less; of a truth that is set or returned only the other one."""
        if token.kind == "char":
            body = token.text[1:-1]
            code = CHAR_CODES.get(body) if body.startswith("\\") else ord(body)
            if code is None:
                code = int(body[2:], 16)
            form, suffix = spell_char, ""
        elif number := re.fullmatch(r"(0[xX][0-9a-fA-F]+|[0-9]+)([uUlL]*)", token.text):
            code, suffix = int(number[1], 0), number[2]
            form = hex if number[1][:2] in ("0x", "0X") else str
        else:
            return
        for other in (1 - code,) if truth and code in (0, 1) else (code + 1, code - 1):
            if other >= 0:
                self.add(token.start, token.end, form(other) + suffix, part)

    # ---- rows of a .def file ----

    def mutate_rows(self):
        text = re.sub(r"/\*.*?\*/", lambda match: " " * len(match[0]), self.text, flags=re.DOTALL)
        lists = [match.start() for match in re.finditer(r"^#define", text, flags=re.MULTILINE)] or [0]
        for start, end in zip(lists, lists[1:] + [len(text)]):
            self.mutate_list([row for row in ROW.finditer(text, start, end)])

    def mutate_list(self, rows):
        cells = [[(row.start(1) + cell.start(), cell[0]) for cell in CELL.finditer(row[1])] for row in rows]
        columns = [[cell for _, cell in column] for column in zip(*cells)]
        for row, cells_here in zip(rows, cells):
            self.add(row.start(), row.end(), "", row.span())
            for (start, cell), column in zip(cells_here, columns):
                if cell.startswith("'"):
                    self.add(start, start + len(cell), spell_char(ord(cell[1]) + 1), row.span())
                elif len(set(column)) < len(column):  # a choice, and no name of the row
                    values = list(dict.fromkeys(column))
                    other = values[(values.index(cell) + 1) % len(values)]
                    self.add(start, start + len(cell), other, row.span())

    # ---- C ----

    def mutate_code(self):
        tokens = [token for token in tokens_of(self.text) if token.kind not in ("skip", "directive")]
        depth = start = 0
        head = None
        for i, token in enumerate(tokens):
            if token.text == "{":
                if depth == 0:
                    start, head = i, tokens[i - 1].text
                depth += 1
            elif token.text == "}":
                depth -= 1
                if depth == 0 and head in (")", "="):
                    self.name_part(tokens, start)
                    part = tokens[start:i + 1]
                    self.used = {other.text for other in part if other.text in self.families}
                    if head == ")":
                        self.mutate_function(part)
                    else:
                        self.mutate_table(part)

    def name_part(self, tokens, start):
        """The function, or the table, whose `{` is at start."""
        i, depth = start - 1, 0
        while depth > 0 or tokens[i].kind != "word" or tokens[i + 1].text not in ("(", "[", "="):
            depth += (tokens[i].text in ")]") - (tokens[i].text in "([")
            i -= 1
        self.function = tokens[i].text
        self.part = self.text.rfind("\n", 0, tokens[i].start) + 1, self.text.find("\n}", tokens[start].start)

    def mutate_table(self, tokens):
        opened = []
        for i, token in enumerate(tokens):
            if token.text == "{":
                opened.append(token)
            elif token.text == "}":
                row = opened.pop()
                if opened:
                    comma = tokens[i + 1].text == ","
                    self.add(row.start, tokens[i + 1].end if comma else token.end, "")
            elif token.kind == "word":
                self.change(token, self.other_of_family(token.text))
            else:
                self.constant(token)

    def mutate_function(self, tokens):
        for i, token in enumerate(tokens):
            before = tokens[i - 1] if i else token
            if token.kind == "word":
                self.mutate_word(tokens, i)
            elif token.kind in ("number", "char"):
                start = i - 1 if before.text == "-" else i  # of 1 and of -1
                self.constant(token, truth=tokens[start - 1].text in ("=", "return") and tokens[i + 1].text == ";")
            elif token.kind == "sign":
                is_operand = before.text in (")", "]") or (before.kind in OPERAND_BEFORE and before.text not in
                                                           ("return", "case"))
                if token.text in STEP:
                    self.change(token, STEP[token.text])
                elif token.text in UNARY and not is_operand:
                    self.change(token, UNARY[token.text])
                elif token.text in BINARY and is_operand:
                    self.change(token, BINARY[token.text])
            if i and before.text in (";", "{", "}", ")", "else", ":", "do"):
                self.mutate_statement(tokens, i)

    def mutate_word(self, tokens, i):
        token, following = tokens[i], tokens[i + 1]
        if token.text in ("if", "while") and following.text == "(":
            end = tokens[closing(tokens, i + 1)]
            self.add(following.start, following.end, "(!(")
            self.fold_last(following, end)
        elif token.text == "break":
            self.change(token, ["", "continue"])
        elif token.text == "continue":
            self.change(token, ["", "break"])
        elif token.text in ("case", "default"):
            end = next(j for j in range(i, len(tokens)) if tokens[j].text == ":")
            self.add(token.start, tokens[end].end, "")
        elif token.text == "return":
            end = next(j for j in range(i, len(tokens)) if tokens[j].text == ";")
            self.add(token.start, tokens[end].start, "")
            if end > i + 2:
                value = self.text[following.start:tokens[end].start]
                self.add(following.start, tokens[end].start, "!(" + value + ")")
        else:
            self.change(token, self.other_of_family(token.text))

    def fold_last(self, opened, closed):
        """Makes the last mutant, `(!(` at opened, whole: with a parenthesis more where that one closes."""
        self.mutants.pop()
        condition = self.text[opened.end:closed.start]
        self.add(opened.start, closed.end, "(!(" + condition + "))")

    def mutate_statement(self, tokens, i):
        """Leaves out a statement that is an expression: a call or an assignment."""
        first, second = tokens[i], tokens[i + 1] if i + 1 < len(tokens) else tokens[i]
        if first.text in NO_EXPRESSION or not (first.kind == "word" or first.text in ("*", "(", "++", "--")):
            return
        if first.kind == "word" and (second.kind == "word" or second.text in ("*", ":")):
            return  # a declaration
        depth = 0
        for j in range(i, len(tokens)):
            depth += (tokens[j].text in ("(", "[", "{")) - (tokens[j].text in (")", "]", "}"))
            if depth < 0:
                return  # the rest of a larger expression
            if depth == 0 and tokens[j].text == ";":
                self.add(first.start, tokens[j].start, "")
                return


def spell_char(code):
    return "'%c'" % code if 32 <= code < 127 and chr(code) not in "\\'" else str(code)


def closing(tokens, i):
    depth = 0
    for j in range(i, len(tokens)):
        depth += (tokens[j].text == "(") - (tokens[j].text == ")")
        if depth == 0:
            return j
    raise ValueError("a parenthesis stays open")


def tokens_of(text, offset=0):
    for match in TOKEN.finditer(text):
        yield Token(match.lastgroup, match[0], match.start() + offset)


def families_of(texts):
    """The enumerators of the same enum, by each of them."""
    families = {}
    for text in texts:
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        for body in re.findall(r"\benum\b[^{;()]*\{([^}]*)\}", text):
            words = re.findall(r"^\s*([A-Za-z_]\w*)|,\s*([A-Za-z_]\w*)", re.sub(r"#[^\n]*", "", body))
            words = [first or second for first, second in words if not (first or second).endswith("COUNT")]
            families.update({word: words for word in words})
    listed = {}
    for text in texts:
        for word in re.findall(r"\b[A-Z][A-Z0-9_]+\b", text):
            family = LISTED_FAMILIES.match(word)
            if family and not word.endswith(("_COUNT", "_LAST", "_BIT")) and word not in families:
                words = listed.setdefault(family[1], [])
                if word not in words:
                    words.append(word)
    for words in listed.values():
        families.update({word: words for word in words})
    return families


def mutants_of(root):
    """All mutants of lib/, file by file."""
    lib = pathlib.Path(root) / "lib"
    files = sorted(file for file in lib.iterdir() if file.suffix in (".c", ".h", ".def"))
    texts = {file: file.read_text(encoding="utf-8") for file in files}
    header = pathlib.Path(root) / "include/d1guard.h"
    families = families_of([*texts.values(), header.read_text(encoding="utf-8")])
    mutants = []
    for file, text in texts.items():
        source = Source("lib/" + file.name, text, families)
        source.mutate_rows() if file.suffix == ".def" else source.mutate_code()
        mutants += source.mutants
    return mutants
