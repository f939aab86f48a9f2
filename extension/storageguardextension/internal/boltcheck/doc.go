// Package boltcheck finds out whether bbolt can open a file and use all that is in it.
//
// bbolt itself cannot be asked. It maps the file and follows what it finds, in goroutines of
// its own: a page that is not there is a SIGBUS, a page that is its own child fills the stack,
// and neither can be caught. So the pages are read here, and nothing in them is believed before
// it is checked. The rules are those that bbolt holds its files to, and those that it relies on
// without looking.
package boltcheck
