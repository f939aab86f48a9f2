// Package components tests the stock components of the binary that no profile has, end to end.
package components
