// SPDX-License-Identifier: Apache-2.0

package labels

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/promql"
)

func seal(s *Set, reserved string, attributes ...string) (Key, string) {
	s.Next()
	m := pcommon.NewMap()
	for i := 0; i < len(attributes); i += 2 {
		m.PutStr(attributes[i], attributes[i+1])
	}
	s.AddAll(m, reserved)
	key := s.Seal()
	var all []string
	for _, pair := range NewPairs().Of(s).Pairs {
		all = append(all, pair.GetName()+"="+pair.GetValue())
	}
	return key, strings.Join(all, ",")
}

func TestLabels(t *testing.T) {
	s := NewSet(NewNames(), NewHasher())
	s.AddOwn("job", "shop")
	f := func(want string, attributes ...string) {
		t.Helper()
		_, got := seal(s, "le", attributes...)
		assert.Equal(t, want, got)
	}
	f("job=shop")
	f("http_method=GET,job=shop", "http.method", "GET")
	f("job=shop,key__x=1", "__x", "1")
	f("job=shop,key__name__=1", "__name__", "1")
	f("job=shop,key__x=1", "..x", "1")
	f("_x=1,job=shop", "_x", "1")
	f("job=shop,key_=1", "_", "1")
	f("job=shop,key__=1", "中文", "1")
	f("job=shop,key_=1", "", "1")
	f("job=shop,key_1=a", "1", "a")
	f("a_b=2;1,job=shop", "a_b", "1", "a.b", "2") // in the order of keys
	f("a_b=2;1,job=shop", "a.b", "2", "a_b", "1")
	f("exported_job=mine,job=shop", "job", "mine")
	f("exported_job=other;mine,job=shop", "job", "mine", "exported_job", "other")
	f("exported_le=5,job=shop", "le", "5")
	f("job=shop", "empty", "")
	f("a=\uFFFD!,job=shop", "a", "\xff!")
}

func TestEveryKeyIsALabel(t *testing.T) {
	for r := range rune(0x3000) {
		for _, key := range []string{string(r), "_" + string(r), string(r) + "_", "a" + string(r), string(r) + "a", "__" + string(r)} {
			name := promql.LabelName(key)
			if !model.LegacyValidation.IsValidLabelName(name) || strings.HasPrefix(name, "__") {
				t.Errorf("%q is %q", key, name)
			}
		}
	}
}

func TestKeys(t *testing.T) {
	s := NewSet(NewNames(), NewHasher())
	seen := map[Key]string{}
	for _, attributes := range [][]string{
		{}, {"a", "b"}, {"ab", ""}, {"b", "a"}, {"a", "b", "c", "d"}, {"a", "bc", "d", "e"}, {"a", "b,c=d"}, {"a", "b\xfec"},
	} {
		key, labels := seal(s, "", attributes...)
		if other, ok := seen[key]; ok {
			assert.Equal(t, other, labels)
		}
		seen[key] = labels
	}
	first, _ := seal(s, "", "a", "b", "c", "d")
	second, _ := seal(s, "", "c", "d", "a", "b")
	assert.Equal(t, first, second)
	assert.Len(t, seen, 7, "an empty value is none")
}

// Labels that senders invent take no more memory than the cache may have.
func TestPairsAreBounded(t *testing.T) {
	pairs := NewPairs()
	s := NewSet(NewNames(), NewHasher())
	for i := range 3 * maxPairs {
		s.Reset()
		s.AddOwn("a", fmt.Sprint(i))
		s.Seal()
		pairs.Of(s)
	}
	assert.LessOrEqual(t, len(pairs.known), maxPairs)
}
