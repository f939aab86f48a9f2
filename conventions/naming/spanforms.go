// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"regexp"
	"strings"
)

// The general forms of span names. The groups of each pattern are the component, if the name
// contains it, and the operation.
var (
	// asgiName is a message of an ASGI server's span: <name of the span> http receive.
	asgiName = regexp.MustCompile(`^(?:[A-Z]+ )?(?:(/[^\s?#]*)\S* )?(http|websocket) (receive|send)$`)
	// grpcPath is a gRPC full method: /package.Service/Method, or package.Service/Method.
	grpcPath = regexp.MustCompile(`^/?((?:\w+\.)*\w+)/(\w+)$`)
	// implSuffix ends the name of a class that implements a C++ interface: Device_4Impl.
	implSuffix = regexp.MustCompile(`(?:_\d+)?Impl$`)
	// pythonName is a Python qualified name: words with dots, <locals> and <lambda> between.
	pythonName = regexp.MustCompile(`^(?:[\pL\pM\pN_<>]+\.)*([\pL\pM\pN_]+)\.(?:<locals>\.)?([\pL\pM\pN_]+|<lambda>)(?:\(\))?$`)
	// bareName is the name of a function or method alone.
	bareName = regexp.MustCompile(`^[\pL\pM\pN_]+$`)
)

// parseSpanName splits a name without ids into component and operation. The component is "" if
// the name does not contain it.
func parseSpanName(name, rpcService string, owner *System, by *trail) (component, operation string, rule Rule) {
	name = strings.TrimSpace(name)
	if m := grpcPath.FindStringSubmatch(name); m != nil && (name[0] == '/' || strings.Contains(m[1], ".") || rpcService != "") {
		component = owner.service(m[1], by)
		if component == "" {
			component = serviceComponent(m[1])
		}
		return component, pascalCase(m[2]), SpanRPC
	}
	if rpcService != "" && bareName.MatchString(name) {
		return "", pascalCase(name), SpanRPC
	}
	if class, method, ok := cppName(name); ok {
		return pascalCase(implSuffix.ReplaceAllString(class, "")), operationOf(method), SpanCode
	}
	if m := pythonName.FindStringSubmatch(name); m != nil {
		return pascalCase(m[1]), pascalCase(m[2]), SpanCode
	}
	if bareName.MatchString(name) {
		return "", pascalCase(name), SpanCode
	}
	// payment/charge contains its component; /a/path does not.
	if head, tail, ok := strings.Cut(name, "/"); ok && bareName.MatchString(head) {
		return partOrNone(head), pascalCase(tail), SpanText
	}
	return "", pascalCase(name), SpanText
}
