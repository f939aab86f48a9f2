// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// TestJSON checks the JSON that other programs read.
func TestJSON(t *testing.T) {
	var r Report
	fill(reflect.ValueOf(&r).Elem())
	text, err := json.MarshalIndent(r, "", "  ")
	require.NoError(t, err)
	testfiles.Golden(t, "testdata/report.json", string(text)+"\n")

	var again Report
	require.NoError(t, json.Unmarshal(text, &again))
	assert.Equal(t, r, again)
	assert.Equal(t, &again.Services[0], again.Service("text"))
	assert.Nil(t, again.Service("nobody"))
}

// fill sets every field to a value, and gives every list an element.
func fill(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC)))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case v.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		element := reflect.New(v.Type().Elem()).Elem()
		fill(element)
		v.SetMapIndex(reflect.ValueOf("text"), element)
	case v.Kind() == reflect.String:
		v.SetString("text")
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(7)
	case v.CanFloat():
		v.SetFloat(0.5)
	}
}
