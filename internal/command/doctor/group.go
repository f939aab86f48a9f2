// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configtls"
)

// group holds the settings of one level of a component's configuration, including settings that no file
// sets.
type group struct {
	path   []string
	fields map[string]reflect.Value
}

// groups returns all levels of a component's configuration, outer levels first. It leaves out optional
// levels that are absent, such as a protocol, and levels with `enabled: false`.
func groups(config any) []group {
	return appendGroups(nil, reflect.ValueOf(config), nil)
}

func appendGroups(all []group, value reflect.Value, path []string) []group {
	value = resolve(value)
	switch value.Kind() {
	case reflect.Struct:
		g := group{path: path, fields: map[string]reflect.Value{}}
		names := g.add(value, nil)
		if len(path) > 0 && g.has("enabled") && !g.on("enabled") {
			return all
		}
		all = append(all, g)
		for _, name := range names {
			all = appendGroups(all, g.fields[name], below(path, name))
		}
	case reflect.Slice, reflect.Array:
		for i := range value.Len() {
			all = appendGroups(all, value.Index(i), below(path, strconv.Itoa(i)))
		}
	case reflect.Map:
		for _, key := range value.MapKeys() {
			if key.Kind() == reflect.String {
				all = appendGroups(all, value.MapIndex(key), below(path, key.String()))
			}
		}
	}
	return all
}

// add adds a struct's settings to the group, including those of squashed structs, and returns names with
// their names appended. It skips fields without a tag.
func (g group) add(value reflect.Value, names []string) []string {
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
				names = g.add(squashed, names)
			}
		case name != "" && name != "-":
			g.fields[name] = value.Field(i)
			names = append(names, name)
		}
	}
	return names
}

// resolve follows pointers, interfaces and optional settings. It returns the zero reflect.Value for an
// absent setting.
func resolve(value reflect.Value) reflect.Value {
	for value.IsValid() {
		if value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface {
			value = value.Elem()
			continue
		}
		if _, optional := value.Interface().(interface{ HasValue() bool }); !optional {
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

// has reports whether the group has a setting of that name, whatever its value is.
func (g group) has(name string) bool { return g.fields[name].IsValid() }

// set reports whether a setting has a value, so that it is no absent optional or nil pointer.
func (g group) set(name string) bool { return resolve(g.fields[name]).IsValid() }

// settingOf returns a setting's value if it exists and has that type.
func settingOf[T any](g group, name string) (T, bool) {
	if value := resolve(g.fields[name]); value.IsValid() {
		typed, ok := value.Interface().(T)
		return typed, ok
	}
	var none T
	return none, false
}

func (g group) on(name string) bool {
	on, _ := settingOf[bool](g, name)
	return on
}

func (g group) text(name string) string {
	text, _ := settingOf[string](g, name)
	return text
}

func (g group) duration(name string) time.Duration {
	d, _ := settingOf[time.Duration](g, name)
	return d
}

// inner returns the group of the next level, which is empty if the setting is absent.
func (g group) inner(name string) group {
	inner := group{path: below(g.path, name), fields: map[string]reflect.Value{}}
	if value := resolve(g.fields[name]); value.IsValid() && value.Kind() == reflect.Struct {
		inner.add(value, nil)
	}
	return inner
}

// listens reports whether the group is a server: it has the TLS settings of a server.
func (g group) listens() bool {
	if !g.has("endpoint") || !g.has("tls") {
		return false
	}
	switch g.fields["tls"].Interface().(type) {
	case configoptional.Optional[configtls.ServerConfig], *configtls.ServerConfig:
		return true
	}
	return false
}

// below appends to a path without sharing memory with it.
func below(path []string, names ...string) []string {
	return slices.Concat(path, names)
}
