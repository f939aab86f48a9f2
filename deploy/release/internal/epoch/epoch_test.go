// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTime(t *testing.T) {
	f := func(value string, want time.Time) {
		t.Helper()
		t.Setenv(variable, value)
		got, err := Time()
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	f("", time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC))
	f("1700000000", time.Date(2023, 11, 14, 22, 13, 20, 0, time.UTC))

	t.Setenv(variable, "now")
	_, err := Time()
	assert.EqualError(t, err, `SOURCE_DATE_EPOCH must be a number of seconds (got "now")`)
}
