// SPDX-License-Identifier: Apache-2.0

package tcgen

import (
	"slices"
	"strconv"
)

// What the packs repair beside names, so that the comparison of all else can be
// exact: types of attributes.

// coerced are the attributes that packs give a type, by the key as sent and as
// received.
var coerced = []string{
	"code.lineno", "thread.id", "tango.process.id", "tango.client_ident.pid",
	"stream", "tc.stream", "tp_rank", "tc.tp.rank", "dp_rank", "tc.dp.rank", "pid", "tc.thread.pid",
	"tuft.lora_rank", "tuft.backward",
}

// typed returns an attribute's value, in the type that its pack gives it.
func typed(attribute map[string]any) any {
	value := attribute["value"].(map[string]any)
	text, ok := value["stringValue"].(string)
	if !ok || !slices.Contains(coerced, attribute["key"].(string)) {
		return value
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return map[string]any{"intValue": strconv.FormatInt(n, 10)}
	}
	if b, err := strconv.ParseBool(text); err == nil {
		return map[string]any{"boolValue": b}
	}
	return value
}
