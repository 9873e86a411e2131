"""Random fragment programs of GLSL whose results are exact: integers, truth values, and floats that need few bits.

Programs have loops, switches, arrays with computed indices, and functions. The helpers below keep arguments in the
range in which GLSL defines the result, and hide constants from faults of the driver's compiler (docs/opengl.md).
"""
import random

HELPERS = """
int hidden(int a) { return a ^ int(un.z - 77u); } /* un.z is 77 */
int mul(int a, int b) { return hidden(a) * hidden(b); }
uint mul(uint a, uint b) { return uint(hidden(int(a))) * uint(hidden(int(b))); }
int neg(int a) { return ~a + 1; }
int magnitude(int a) { return abs(hidden(clamp(a, -2000000000, 2000000000))); }
int shl(int a, int b) { return hidden(a << (b & 30)); }
int shr(int a, int b) { return hidden(a >> (b & 30)); }
uint shl(uint a, uint b) { return a << (b & 30u); }
uint shr(uint a, uint b) { return a >> (b & 30u); }
int quotient(int a, int b) { return clamp(a, -10000000, 20000000) / (clamp(b, -1000, 30) * 2 + 1); }
int rest(int a, int b) { return clamp(a, 0, 1000000000) % (clamp(b, 0, 70000) + 1); }
uint quotient(uint a, uint b) { return a / (b == 0u ? 7u : b); }
"""
HELPERS_430 = """
int extract(int a, int b, int c) { return bitfieldExtract(a, b & 15, (c & 15) + 1); }
uint extract(uint a, int b, int c) { return bitfieldExtract(a, b & 15, (c & 15) + 1); }
int insert(int a, int d, int b, int c) { return bitfieldInsert(a, d, b & 15, c & 15); }
uint insert(uint a, uint d, int b, int c) { return bitfieldInsert(a, d, b & 15, c & 15); }
"""
NUMBERS = [0, 1, 2, 3, 5, 7, 8, 16, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000,
           0x7fffffff]
FLOATS = ["0.0", "1.0", "2.0", "3.0", "4.0", "8.0", "0.5", "0.25", "-1.0", "-2.0", "16.0", "100.0", "-7.0"]

# Expressions by type. b, i, u, f stand for expressions of type bool, int, uint and float.
FORMS = {
    "bool": ["(i < i)", "(i >= i)", "(u <= u)", "(u != u)", "(f > f)", "(f == f)", "(b && b)", "(b || b)", "(b ^^ b)", "(!b)",
             "any(lessThan(ivec3(i, i, i), ivec3(i, i, i)))", "all(notEqual(ivec2(i, i), ivec2(i, i)))", "(b ? b : b)"],
    "int": ["(i + i)", "(i - i)", "mul(i, i)", "(i & i)", "(i | i)", "(i ^ i)", "shl(i, i)", "shr(i, i)", "quotient(i, i)",
            "rest(i, i)", "(b ? i : i)", "min(i, i)", "max(i, i)", "clamp(i, -100, 1000)", "int(u)", "int(f * 0.25)", "(~i)",
            "neg(i)", "int(b)", "magnitude(i)", "sign(i)"],
    "uint": ["(u + u)", "(u - u)", "mul(u, u)", "(u & u)", "(u | u)", "(u ^ u)", "shl(u, u)", "shr(u, u)", "quotient(u, u)",
             "(b ? u : u)", "min(u, u)", "max(u, u)", "uint(i)", "uint(abs(f))", "(~u)", "uint(b)"],
    "float": ["float(i & 1023)", "float(u & 1023u)", "(b ? f : f)", "min(f, f + 0.5)", "float(b)",
              "floor(clamp(f, -1024.0, 1024.0) * 0.25)", "ceil(clamp(f, -1024.0, 1024.0) * 0.25)",
              "trunc(clamp(f, -1024.0, 1024.0) * 0.25)", "clamp(f + f, -2048.0, 2048.0)", "(clamp(f, -64.0, 64.0) * 3.0)"],
}
FORMS_430 = {
    "int": ["bitCount(i)", "bitCount(u)", "findMSB(i)", "findMSB(u)", "findLSB(i)", "extract(i, i, i)", "insert(i, i, i, i)",
            "bitfieldReverse(i)"],
    "uint": ["extract(u, i, i)", "insert(u, u, i, i)", "bitfieldReverse(u)"],
}
TYPES = {"b": "bool", "i": "int", "u": "uint", "f": "float"}
INPUTS = {"int": ["ix", "iy", "iz"], "uint": ["ua.x", "ua.y", "ua.z", "ua.w"]}


class Program:
    def __init__(self, seed, version):
        self.random = random.Random(seed)
        self.forms = {t: FORMS[t] + (FORMS_430.get(t, []) if version == "430" else []) for t in FORMS}
        self.nested, self.names, self.functions = 0, 0, []
        self.begin(["acc", "w", "h"])
        self.head = f"#version {version}\nuniform uvec4 un;\nout uvec4 o;\n{HELPERS}{HELPERS_430 if version == '430' else ''}"

    def begin(self, names):
        """Forgets all variables but these: an int, a uint and perhaps a float, which programs may write."""
        self.variables = dict(zip(names, ["int", "uint", "float"]))
        self.written, self.arrays = set(names), []

    def constant(self, kind):
        number = self.random.choice(NUMBERS + [self.random.getrandbits(31)])
        if kind == "int":
            return self.random.choice([f"{number}", f"(-{number})"])
        return f"{number}u" if kind == "uint" else self.random.choice(FLOATS if kind == "float" else ["true", "false"])

    def leaf(self, kind):
        known = [name for name, of in self.variables.items() if of == kind]
        if known and self.random.random() < 0.6:
            return self.random.choice(known)
        return self.random.choice(INPUTS.get(kind, []) + [self.constant(kind)] * 3)

    def expression(self, kind, depth=0):
        if depth > 4 or self.random.random() < 0.18:
            return self.leaf(kind)
        if kind == "int" and self.arrays and self.random.random() < 0.06:
            return f"{self.random.choice(self.arrays)}[{self.expression('int', depth + 1)} & 7]"
        out, form = "", self.random.choice(self.forms[kind])
        for k, c in enumerate(form):
            alone = not (form[k - 1:k].isalnum() or form[k + 1:k + 2].isalnum())
            out += self.expression(TYPES[c], depth + 1) if c in TYPES and alone else c
        return out

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def declaration(self):
        kind, name = self.random.choice(["int", "int", "uint", "float", "bool"]), self.name()
        line = f"{kind} {name} = {self.expression(kind)};"
        self.variables[name] = kind
        self.written.add(name)
        return [line]

    def assignment(self):
        name = self.random.choice([n for n in self.variables if n in self.written])
        kind = self.variables[name]
        if kind == "float":
            return [f"{name} = floor(clamp({self.expression(kind)}, -4096.0, 4096.0) * 16.0) * 0.0625;"]
        operator = "=" if kind == "bool" else self.random.choice(["=", "+=", "-=", "^=", "|=", "&="])
        return [f"{name} {operator} {self.expression(kind)};"]

    def array(self):
        name = self.name()
        value = f"q * {self.random.randint(1, 9)} ^ {self.expression('int', 3)}"
        self.arrays.append(name)
        return [f"int {name}[8]; for (int q = 0; q < 8; q++) {name}[q] = {value};"]

    def element(self):
        if not self.arrays:
            return []
        return [f"{self.random.choice(self.arrays)}[{self.expression('int', 2)} & 7] = {self.expression('int', 1)};"]

    def call(self):
        ints = [n for n in self.variables if n in self.written and self.variables[n] == "int"]
        return [f"{self.random.choice(self.functions)}({self.random.choice(ints)}, {self.expression('uint', 2)});"] \
            if self.functions and ints else []

    def branch(self):
        lines = [f"if ({self.expression('bool')}) {{", *self.block(self.random.randint(1, 4))]
        if self.random.random() < 0.5:
            lines += ["} else {", *self.block(self.random.randint(1, 3))]
        return lines + ["}"]

    def loop(self):
        name, limit = self.name(), self.random.choice(["3", "5", f"({self.expression('int', 3)} & 7)"])
        leave = f"if ({self.expression('bool')}) {self.random.choice(['break', 'continue'])};"
        body = self.block(self.random.randint(1, 4), {name: "int"})
        if len(body) > 1 and body[0].endswith(";"):
            body.insert(1, leave)
        return [f"for (int {name} = 0; {name} < {limit}; {name}++) {{", *body, "}"]

    def switch(self):
        lines = [f"switch ({self.expression('int')} & 3) {{"]
        for case in range(3):
            lines += [f"case {case}: {{", *self.block(self.random.randint(1, 2)), "}"]
            lines += ["break;"] if self.random.random() < 0.7 else []
        return lines + ["default: ; }"]

    def block(self, statements, more=None):
        """Lines of a block. `more`: variables that the block may read."""
        variables, arrays, lines = dict(self.variables), list(self.arrays), []
        self.variables.update(more or {})
        self.nested += 1
        makers = [self.declaration] * 7 + [self.assignment] * 5 + [self.array, self.element, self.call]
        makers += [self.branch, self.branch, self.loop, self.loop, self.switch] if self.nested < 4 else []
        for _ in range(statements):
            lines += self.random.choice(makers)()
        self.nested -= 1
        self.variables, self.arrays = variables, arrays
        return lines

    def text(self):
        lines = [self.head]
        for i in range(self.random.randint(0, 2)):
            self.begin(["a", "b"])
            body = self.block(self.random.randint(2, 5))
            lines += [f"void f{i}(inout int a, uint b) {{", "int ix = a, iy = int(b), iz = a ^ iy;",
                      "uvec4 ua = uvec4(b, b >> 3, uint(a), 77u);", *body,
                      f"if ({self.expression('bool', 2)}) return;", "a ^= int(b); }"]
            self.functions.append(f"f{i}")
        self.begin(["acc", "w", "h"])
        body = self.block(self.random.randint(6, 14))
        lines += ["void main() {",
                  "int ix = int(gl_FragCoord.x), iy = int(gl_FragCoord.y);",
                  "int iz = ix * 1103515245 + iy * 12345;",
                  "uvec4 ua = un * uint(ix + 1) ^ uvec4(iy);",
                  "int acc = ix - iy * 3; uint w = ua.x ^ 7u; float h = float(ix & 15);", *body,
                  f"o = uvec4(uint(acc), w, uint({self.expression('int')}),",
                  f"{self.expression('uint')} ^ uint(int(h * 4.0))); }}"]
        return "\n".join(lines)
