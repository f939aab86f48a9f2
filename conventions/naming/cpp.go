// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"regexp"
	"strings"
)

// operatorName matches the name of a C++ operator, with its class and its parameters. The groups
// are what comes before and the operator. An operator in letters needs a class or parameters,
// because it looks like a word.
var operatorName = regexp.MustCompile(`^(?:(.*::)|(?:.*[\s&*])?)operator\s*(\(\)|\[\]|->\*?|<=>|[-+*/%^&|=!<>]=|<<=?|>>=?|&&|\|\||\+\+|--|[-+*/%^&|~!=<>,]|""\s*\w+|\s[\w:<>*& ]+(?:\[\])?)\s*(?:<[^()]*>)?\s*(\(.*)?$`)

// operatorWords are the operators in words.
var operatorWords = map[string]string{
	"()": "Call", "[]": "Index", "->": "Arrow", "->*": "ArrowStar", ",": "Comma",
	"==": "Equal", "!=": "NotEqual", "<": "Less", ">": "Greater", "<=": "LessEqual", ">=": "GreaterEqual", "<=>": "Compare",
	"+": "Plus", "-": "Minus", "*": "Star", "/": "Divide", "%": "Modulo", "++": "Increment", "--": "Decrement",
	"&": "And", "|": "Or", "^": "Xor", "~": "Complement", "<<": "ShiftLeft", ">>": "ShiftRight",
	"&&": "LogicalAnd", "||": "LogicalOr", "!": "Not", "=": "Assign",
	"+=": "PlusAssign", "-=": "MinusAssign", "*=": "StarAssign", "/=": "DivideAssign", "%=": "ModuloAssign",
	"&=": "AndAssign", "|=": "OrAssign", "^=": "XorAssign", "<<=": "ShiftLeftAssign", ">>=": "ShiftRightAssign",
}

// typeMarks are the parts of types that are no words.
var typeMarks = strings.NewReplacer("*", " Pointer", "&&", " RvalueReference", "&", " Reference", "[]", " Array")

// operator returns the submatches of operatorName, or nil if the name is not that of an operator.
func operator(name string) []string {
	if !strings.Contains(name, "operator") {
		return nil
	}
	m := operatorName.FindStringSubmatch(name)
	if m == nil || m[1] == "" && m[3] == "" && operatorWords[m[2]] == "" {
		return nil
	}
	return m
}

// cppName splits a C++ signature or qualified name into the last class and the method, such as
// ~Foo or operator==. Template arguments belong to the class, and are not part of its name.
func cppName(name string) (class, method string, ok bool) {
	head := name
	if m := operator(name); m != nil {
		head, method = m[1], "operator"+m[2]
		if head == "" {
			return "", method, true
		}
		head = strings.TrimSuffix(head, "::")
	} else {
		head, _, _ = strings.Cut(strings.ReplaceAll(head, "(anonymous namespace)", ""), "(")
		head = strings.TrimRight(head, " ")
		cut := lastOutside(head, "::")
		if cut < 0 {
			return "", "", false
		}
		head, method = head[:cut], head[cut+len("::"):]
		if plain, _, _ := strings.Cut(strings.TrimPrefix(method, "~"), "<"); !bareName.MatchString(plain) {
			return "", "", false
		}
	}
	// The return type and the namespaces come before the class.
	for _, end := range []string{"::", " ", "*", "&"} {
		if cut := lastOutside(head, end); cut >= 0 {
			head = head[cut+len(end):]
		}
	}
	class, _, _ = strings.Cut(head, "<")
	return class, method, bareName.MatchString(class)
}

// lastOutside returns the last index of a text outside of template arguments, or -1.
func lastOutside(name, text string) int {
	depth := 0
	for i := len(name) - 1; i >= 0; i-- {
		switch name[i] {
		case '>':
			depth++
		case '<':
			depth--
		}
		if depth == 0 && strings.HasPrefix(name[i:], text) {
			return i
		}
	}
	return -1
}

// operationOf converts the name of a function to an operation. Destructors and operators have
// words for what is not a letter.
func operationOf(method string) string {
	if name, ok := strings.CutPrefix(method, "~"); ok && bareName.MatchString(name) {
		return pascalCase("destroy " + name)
	}
	m := operatorName.FindStringSubmatch(method)
	if m == nil || m[1] != "" || m[3] != "" {
		return pascalCase(method)
	}
	if word, ok := operatorWords[m[2]]; ok {
		return "Operator" + word
	}
	return pascalCase("operator " + typeMarks.Replace(m[2]))
}
