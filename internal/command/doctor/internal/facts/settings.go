// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configtls"
)

// Settings are the settings of one level of a component's configuration, including settings that no file
// sets.
type Settings struct {
	Path []string
	// Listens reports whether a level has the settings of a server: its endpoint and its TLS settings.
	Listens bool
	values  reflect.Value // a struct, or the zero reflect.Value without settings
}

// levelsOf returns all levels of a component's configuration, outer levels first. It leaves out optional levels that
// are absent, such as a protocol, and levels with `enabled: false`.
func levelsOf(config any, path []string) []Settings {
	all := appendLevels(nil, reflect.ValueOf(config), path)
	if len(all) == 0 {
		return []Settings{{Path: path}}
	}
	return all
}

func appendLevels(levels []Settings, value reflect.Value, path []string, below ...string) []Settings {
	value = resolve(value)
	switch value.Kind() {
	case reflect.Struct:
		s := Settings{Path: Below(path, below...), values: value}
		if len(levels) > 0 && s.Has("enabled") && !s.On("enabled") {
			return levels
		}
		tls := s.value("tls")
		s.Listens = tls.IsValid() && slices.Contains(serverTLS, tls.Type()) && s.Has("endpoint")
		levels = append(levels, s)
		for name, inner := range all(s.values) {
			levels = appendLevels(levels, inner, s.Path, name)
		}
	case reflect.Slice, reflect.Array:
		path = Below(path, below...)
		for i := range value.Len() {
			levels = appendLevels(levels, value.Index(i), path, strconv.Itoa(i))
		}
	case reflect.Map:
		path = Below(path, below...)
		for _, key := range value.MapKeys() {
			if key.Kind() == reflect.String {
				levels = appendLevels(levels, value.MapIndex(key), path, key.String())
			}
		}
	}
	return levels
}

// all returns the settings of a struct by name, without those of squashed pointers that are nil.
func all(structure reflect.Value) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		if structure.Kind() != reflect.Struct {
			return
		}
		for _, f := range fieldsOf(structure.Type()) {
			if value, err := structure.FieldByIndexErr(f.index); err == nil && !yield(f.name, value) {
				return
			}
		}
	}
}

// field is a field of a struct, or of one that is squashed in it.
type field struct {
	name  string
	index []int
}

var knownFields sync.Map // the fields of a type: many components can have it

// fieldsOf returns the fields of a struct that are settings. They have a tag.
func fieldsOf(structure reflect.Type) []field {
	if known, ok := knownFields.Load(structure); ok {
		return known.([]field)
	}
	var fields []field
	for i := range structure.NumField() {
		tag, tagged := structure.Field(i).Tag.Lookup("mapstructure")
		name, options, _ := strings.Cut(tag, ",")
		inner := structure.Field(i).Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case !tagged || !structure.Field(i).IsExported():
		case slices.Contains(strings.Split(options, ","), "squash") && inner.Kind() == reflect.Struct:
			for _, f := range fieldsOf(inner) {
				fields = append(fields, field{f.name, slices.Concat([]int{i}, f.index)})
			}
		case name != "" && name != "-":
			fields = append(fields, field{name, []int{i}})
		}
	}
	knownFields.Store(structure, fields)
	return fields
}

// optional is implemented by optional settings.
var optional = reflect.TypeFor[interface{ HasValue() bool }]()

// resolve follows pointers, interfaces and optional settings. It returns the zero reflect.Value for an
// absent setting.
func resolve(value reflect.Value) reflect.Value {
	for value.IsValid() {
		if value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface {
			value = value.Elem()
			continue
		}
		if value.Kind() != reflect.Struct || !value.Type().Implements(optional) {
			return value
		}
		// configoptional.Optional of any type. Its method Get has a pointer receiver.
		if !value.CanAddr() {
			addressable := reflect.New(value.Type()).Elem()
			addressable.Set(value)
			value = addressable
		}
		get := value.Addr().MethodByName("Get")
		if !get.IsValid() || get.Type().NumIn() != 0 || get.Type().NumOut() != 1 {
			return value
		}
		value = get.Call(nil)[0]
	}
	return value
}

// value returns a setting, or the zero reflect.Value.
func (s Settings) value(name string) reflect.Value {
	for known, value := range all(s.values) {
		if known == name {
			return value
		}
	}
	return reflect.Value{}
}

// Has reports whether there is a setting of that name, whatever its value is.
func (s Settings) Has(name string) bool { return s.value(name).IsValid() }

// Set reports whether a setting has a value, so that it is no absent optional or nil pointer.
func (s Settings) Set(name string) bool { return resolve(s.value(name)).IsValid() }

// Value returns a setting's value if it exists and has that type.
func Value[T any](s Settings, name string) (found T, ok bool) { return valueOf[T](s.value(name)) }

// All returns the settings of a type, by name.
func All[T any](s Settings) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for name, value := range all(s.values) {
			if found, ok := valueOf[T](value); ok && !yield(name, found) {
				return
			}
		}
	}
}

// valueOf returns a value if it has a type. Interface would copy a struct of another type.
func valueOf[T any](value reflect.Value) (found T, ok bool) {
	if value = resolve(value); !value.IsValid() || value.Type() != reflect.TypeFor[T]() {
		return found, false
	}
	return value.Interface().(T), true
}

// On reports whether a setting is true.
func (s Settings) On(name string) bool {
	on, _ := Value[bool](s, name)
	return on
}

// Text returns a setting as text, or nothing.
func (s Settings) Text(name string) string {
	if value := resolve(s.value(name)); value.IsValid() {
		return fmt.Sprint(value.Interface())
	}
	return ""
}

// Duration returns a setting that is a duration, or 0.
func (s Settings) Duration(name string) time.Duration {
	d, _ := Value[time.Duration](s, name)
	return d
}

// Inner returns the settings of the next level, which is empty if the setting is absent.
func (s Settings) Inner(name string) Settings {
	return Settings{Path: Below(s.Path, name), values: resolve(s.value(name))}
}

// serverTLS are the types of the TLS settings of servers.
var serverTLS = []reflect.Type{reflect.TypeFor[configoptional.Optional[configtls.ServerConfig]](), reflect.TypeFor[*configtls.ServerConfig]()}
