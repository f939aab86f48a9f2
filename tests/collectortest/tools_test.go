// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNeeds(t *testing.T) {
	f := func(tests, target, file string, wantSkipped bool) {
		t.Run(tests+" "+target, func(t *testing.T) {
			t.Setenv(testsVariable, tests)
			defer func() { assert.Equal(t, wantSkipped, t.Skipped()) }()
			assert.Equal(t, filepath.Join(Root(t), file), Needs(t, target, file))
		})
	}
	f("", "something", "go.mod", false)
	f(quick, "something", "go.mod", false)
	f("", "something", ".tools/nothing", true)
}

// The name of this test has the word for the slow target jaeger.
func TestNeedsOfJaeger(t *testing.T) {
	t.Run("quick", func(t *testing.T) {
		t.Setenv(testsVariable, quick)
		defer func() { assert.True(t, t.Skipped()) }()
		Needs(t, "jaeger", "go.mod")
	})
	t.Run("all", func(t *testing.T) {
		t.Setenv(testsVariable, all)
		assert.NotEmpty(t, Needs(t, "jaeger", "go.mod"))
	})
}
