package tests

// littleGarbage is the environment of collectors whose memory tells what they keep: by Go's
// default the heap grows to twice that, by ours with the machine.
var littleGarbage = map[string]string{"GOGC": "100"}
