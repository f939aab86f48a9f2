// Package series decides which series of a metric exist within the budgets, and merges
// streams into them. It takes data points one by one with [Streams.Observe], which returns
// the outcome of each. After the last point of a batch, [Streams.Emit] returns the point to
// send for each series. The package may not know pdata's containers of metrics.
//
// The terms:
//
//   - A stream is a series as the sender knows it: all its attributes identify it.
//   - An output is a series as it is sent. The plan of the metric drops some attributes, so
//     several streams can have the same output.
//   - The overflow output has the streams that a budget refuses. The budgets are limit,
//     service_limit and memory.
//   - The attributes of a point are unchanged when its output has the same ones. They are
//     changed when the plan drops one, a limit replaces a value or a budget refuses it.
//   - An output is merged once it has a stream with changed attributes, and stays so. The
//     points of an output that is not merged are sent as they came.
//   - A point is late when it is not newer than the last point of its stream.
//   - A point is malformed when its values contradict each other or its time is wrong.
//
// The outcomes:
//
//	keep       The point is sent as it came.
//	drop       The point is dropped and counted with the reason in parentheses.
//	output     The point belongs to an output. If the output is merged at the end of the
//	           batch, one point of it replaces all its points. Else they are sent as they came.
//	late       Like output, but the point cannot be merged: if the output is merged at the
//	           end of the batch, the point is dropped and counted.
//	malformed  Like late, with another reason.
//
// The truth table. The first row that fits a point applies. A stream is known if the table
// of streams has it. The reason limit stands for service_limit and memory as well.
//
//	stream  series                                 point                                      outcome
//	known   any                                    malformed, attributes unchanged            malformed
//	known   any                                    malformed, attributes changed              drop (malformed)
//	known   no memory to grow                      larger than the stream's last              drop (memory)
//	known   merged, its last point was refused     late                                       output, counted late
//	known   any                                    late, attributes unchanged                 late
//	known   any                                    late, attributes changed                   drop (late)
//	known   any                                    newer, with a value or a stale marker      output
//	new     overflow series of an SDK              well-formed                                output: overflow
//	new     refused by a budget, on_overflow drop  any                                        drop (limit)
//	new     refused by a budget                    well-formed                                output: overflow
//	new     admitted, plan drops nothing           any, stream was not merged before          keep
//	new     admitted, summaries are not merged     attributes unchanged                       keep
//	new     admitted, summaries are not merged     attributes changed                         drop (summary)
//	new     admitted                               malformed, attributes unchanged            malformed
//	new     admitted or refused by a budget        malformed, attributes changed              drop (malformed)
//	new     no memory for the stream               delta with a value                         output
//	new     no memory for the stream               cumulative, gauge or stale marker          drop (memory)
//	new     admitted                               well-formed                                output
//
// [Metric.Keeps] answers for known series without an output before the point is read.
package series
