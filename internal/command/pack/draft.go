package pack

import (
	"errors"

	"github.com/spf13/cobra"
)

func newDraft() *cobra.Command {
	return &cobra.Command{
		Use:  "draft",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return errors.New("not yet") },
	}
}
