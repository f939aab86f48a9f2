// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configtls"
)

// Settings are the settings of one level of a component's configuration, including settings that no file
// sets.
type Settings struct {
	Path   []string
	fields map[string]reflect.Value
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

func appendLevels(all []Settings, value reflect.Value, path []string) []Settings {
	value = resolve(value)
	switch value.Kind() {
	case reflect.Struct:
		s := Settings{Path: path, fields: map[string]reflect.Value{}}
		names := s.add(value, nil)
		if len(all) > 0 && s.Has("enabled") && !s.On("enabled") {
			return all
		}
		all = append(all, s)
		for _, name := range names {
			all = appendLevels(all, s.fields[name], Below(path, name))
		}
	case reflect.Slice, reflect.Array:
		for i := range value.Len() {
			all = appendLevels(all, value.Index(i), Below(path, strconv.Itoa(i)))
		}
	case reflect.Map:
		for _, key := range value.MapKeys() {
			if key.Kind() == reflect.String {
				all = appendLevels(all, value.MapIndex(key), Below(path, key.String()))
			}
		}
	}
	return all
}

// add adds a struct's settings, including those of squashed structs, and returns names with
// their names appended. It skips fields without a tag.
func (s Settings) add(value reflect.Value, names []string) []string {
	for i := range value.NumField() {
		field := value.Type().Field(i)
		tag, tagged := field.Tag.Lookup("mapstructure")
		if !tagged || !field.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case slices.Contains(strings.Split(options, ","), "squash"):
			if squashed := resolve(value.Field(i)); squashed.Kind() == reflect.Struct {
				names = s.add(squashed, names)
			}
		case name != "" && name != "-":
			s.fields[name] = value.Field(i)
			names = append(names, name)
		}
	}
	return names
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
		pointer := reflect.New(value.Type())
		pointer.Elem().Set(value)
		get := pointer.MethodByName("Get")
		if !get.IsValid() || get.Type().NumIn() != 0 || get.Type().NumOut() != 1 {
			return value
		}
		value = get.Call(nil)[0]
	}
	return value
}

// Has reports whether there is a setting of that name, whatever its value is.
func (s Settings) Has(name string) bool { return s.fields[name].IsValid() }

// Names returns the names of the settings.
func (s Settings) Names() []string { return slices.Sorted(maps.Keys(s.fields)) }

// Set reports whether a setting has a value, so that it is no absent optional or nil pointer.
func (s Settings) Set(name string) bool { return resolve(s.fields[name]).IsValid() }

// Value returns a setting's value if it exists and has that type.
func Value[T any](s Settings, name string) (T, bool) {
	value := resolve(s.fields[name])
	if !value.IsValid() || value.Type() != reflect.TypeFor[T]() { // Interface would copy a struct of another type
		var none T
		return none, false
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
	if value := resolve(s.fields[name]); value.IsValid() {
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
	inner := Settings{Path: Below(s.Path, name), fields: map[string]reflect.Value{}}
	if value := resolve(s.fields[name]); value.IsValid() && value.Kind() == reflect.Struct {
		inner.add(value, nil)
	}
	return inner
}

// Listens reports whether the settings are those of a server: they have the TLS settings of a server.
func (s Settings) Listens() bool {
	if !s.Has("endpoint") || !s.Has("tls") {
		return false
	}
	switch s.fields["tls"].Interface().(type) {
	case configoptional.Optional[configtls.ServerConfig], *configtls.ServerConfig:
		return true
	}
	return false
}
