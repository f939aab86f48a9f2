package naming

import (
	"regexp"
	"strings"
)

// The general forms that span names come in. Each pattern's groups are the
// component, where the name says it, and the operation.
var (
	// /package.Service/Method, or package.Service/Method: a gRPC full method.
	grpcPath = regexp.MustCompile(`^/?((?:\w+\.)*\w+)/(\w+)$`)
	// A C++ signature or qualified name: everything up to the parameters ends in
	// Class::method; template arguments belong to the class.
	cppName = regexp.MustCompile(`(?:^|[\s&*])(?:\w+(?:<[^()]*>)?::)*(\w+)(?:<[^()]*>)?::(~?\w+|operator\s*[^\s(]+)\s*(?:\(.*)?$`)
	// The suffix of a C++ interface's implementation class: Device_4Impl.
	implSuffix = regexp.MustCompile(`(?:_\d+)?Impl$`)
	// A Python qualified name: dotted words, with <locals> and <lambda> between.
	pythonName = regexp.MustCompile(`^(?:[\w<>]+\.)*(\w+)\.(?:<locals>\.)?(\w+|<lambda>)(?:\(\))?$`)
	// A bare function's or method's name.
	bareName = regexp.MustCompile(`^\w+$`)
)

// parseSpanName takes a name without ids apart. The component is empty where
// the name does not say it.
func parseSpanName(name, rpcService string, owner *System) (component, operation string, rule Rule) {
	name = strings.TrimSpace(name)
	if m := grpcPath.FindStringSubmatch(name); m != nil && (name[0] == '/' || strings.Contains(m[1], ".") || rpcService != "") {
		if owner != nil {
			component = findComponent(owner.pack.Spans.Components.Services, m[1])
		}
		if component == "" {
			component = serviceComponent(m[1])
		}
		return component, pascalCase(m[2]), SpanRPC
	}
	if rpcService != "" && bareName.MatchString(name) {
		return "", pascalCase(name), SpanRPC
	}
	if m := cppName.FindStringSubmatch(name); m != nil {
		return pascalCase(implSuffix.ReplaceAllString(m[1], "")), pascalCase(m[2]), SpanCode
	}
	if m := pythonName.FindStringSubmatch(name); m != nil {
		return pascalCase(m[1]), pascalCase(m[2]), SpanCode
	}
	if bareName.MatchString(name) {
		return "", pascalCase(name), SpanCode
	}
	// payment/charge names its component; /a/path does not.
	if head, tail, ok := strings.Cut(name, "/"); ok && bareName.MatchString(head) {
		return partOrNone(head), pascalCase(tail), SpanText
	}
	return "", pascalCase(name), SpanText
}

// serviceComponent derives a component from a full rpc service name:
// shop.v1.PaymentService gives Payment.
func serviceComponent(service string) string {
	last := lastSegment(service)
	if short, ok := strings.CutSuffix(last, "Service"); ok && short != "" {
		last = short
	}
	return partOrNone(last)
}

// partOrNone is a component, or "" where the text cannot be one: pascalCase
// gives a word that begins with a digit an operation's prefix.
func partOrNone(text string) string {
	if text == "" || isDigit(text[0]) {
		return ""
	}
	return pascalCase(text)
}

func lastSegment(dotted string) string {
	return dotted[strings.LastIndexByte(dotted, '.')+1:]
}
