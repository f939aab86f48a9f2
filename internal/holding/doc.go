// Package holding keeps data back until it is due, and then passes it on. What it has
// taken it delivers once or reports as lost: it repeats what the next component does
// not accept, and empties itself at the end.
package holding
