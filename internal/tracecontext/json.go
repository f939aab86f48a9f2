// SPDX-License-Identifier: Apache-2.0

package tracecontext

import (
	"strings"

	"github.com/tidwall/gjson"
)

// JSON adds the ids of a text that is a JSON object, and of the objects inside it. It returns
// false for a text that is not valid JSON, such as a truncated one.
func (k *Keys) JSON(text string, e *Evidence) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	if text == "" || text[0] != '{' && text[0] != '[' || !gjson.Valid(text) {
		return false
	}
	if text[0] == '[' {
		return true // a list is about many things
	}
	objects := 0
	gjson.Parse(text).ForEach(func(name, value gjson.Result) bool {
		if key := k.Find(name.Str); key != nil {
			e.addJSON(key, 0, value)
		} else if value.IsObject() {
			objects++
			k.innerJSON(name.Str, objects, value, e)
		}
		return true
	})
	return true
}

func (k *Keys) innerJSON(object string, number int, value gjson.Result, e *Evidence) {
	value.ForEach(func(name, value gjson.Result) bool {
		if key, in := k.FindInner(object, name.Str, number); key != nil {
			e.addJSON(key, in, value)
		}
		return true
	})
}

func (e *Evidence) addJSON(key *Key, object int, value gjson.Result) {
	switch value.Type {
	case gjson.String:
		e.AddText(key, object, value.Str)
	case gjson.Null:
		e.AddText(key, object, "")
	case gjson.Number, gjson.True, gjson.False:
		e.AddScalar(key, object, value.Raw)
	case gjson.JSON:
		if only := value.Get("0"); value.IsArray() && !only.IsArray() && value.Get("#").Int() == 1 {
			e.addJSON(key, object, only)
		}
	}
}
