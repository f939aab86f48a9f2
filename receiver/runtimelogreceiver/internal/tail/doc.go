// Package tail follows log files: it finds them (walk.go), opens them so that nobody who
// may write below a watched directory leads it elsewhere (open.go), reads each in turns of
// bounded size (turn.go), and knows a file again after a rotation, a truncation or a
// restart (checkpoint.go, copies.go).
package tail
