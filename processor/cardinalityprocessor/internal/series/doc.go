// SPDX-License-Identifier: Apache-2.0

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
//   - The overflow of a service has the streams of all its resources that service_limit
//     refuses, and those for whose overflow output there is no memory.
//   - The attributes of a point are unchanged when its output has the same ones. They are
//     changed when the plan drops one, a limit replaces a value or a budget refuses it.
//   - An output is merged once it has a stream with changed attributes, and stays so. The
//     points of an output that is not merged are sent as they came.
//   - An output waits when it gets a first stream with changed attributes after other points
//     were sent as they came, without a stream. Their values are unknown, so it sends nothing
//     until their stream continues, ends or expires. Deltas need no values of the past.
//   - A point is late when it is not newer than the last point of its stream, or when a
//     second sender of the stream wrote it. A delta that is not newer is late only if it has
//     the start and the time of one of the last 16 points of its stream: it repeats that one.
//   - A point is malformed when its values contradict each other or it has no time.
//   - A look proves a stream new if the batch has all streams of its source, and the batch
//     before that had all did not have this one. See [Look].
//
// The outcomes:
//
//	keep       The point is sent as it came.
//	drop       The point is dropped and counted with the reason in parentheses.
//	output     The point belongs to an output. If the output is merged at the end of the
//	           batch, one point of it replaces all its points. Else they are sent as they came.
//	service    The point belongs to the overflow of its service: the metric that
//	           Batch.OfService returns observes it, with the same budget as the reason.
//	late       Like output, but the point cannot be merged: if the output is merged at the
//	           end of the batch, the point is dropped and counted.
//	malformed  Like late, with another reason.
//
// The truth table. The first row that fits a point applies. A stream is known if the table
// of streams has it.
//
// No point with a value is dropped for want of memory. A point larger than its stream's last
// loses buckets instead. A point without a stream is counted as untracked, and says whether
// its output includes it: deltas are, gauges share one stream, and the value of a cumulative
// stream is only a baseline.
//
//	stream  series                                 point                                      outcome
//	known   any                                    malformed, attributes unchanged            malformed
//	known   any                                    malformed, attributes changed              drop (malformed)
//	known   no memory to grow                      larger than the stream's last              output
//	known   merged, its last point was refused     late                                       output, counted late
//	known   any                                    late, attributes unchanged                 late
//	known   any                                    late, attributes changed                   drop (late)
//	known   any                                    newer, with a value or a stale marker      output
//	known   any                                    delta, not newer, no repetition            output
//	new     known to the overflow of its service   any                                        service: service_limit
//	new     overflow series of an SDK              well-formed                                output: overflow
//	new     no memory, plan drops nothing          any, within the limit                      keep
//	new     refused by service_limit               any                                        service: service_limit
//	new     no memory for the overflow output      any                                        keep
//	new     refused by a budget                    well-formed                                output: overflow
//	new     admitted, plan drops nothing           any, stream was not merged before          keep
//	new     admitted, summaries are not merged     attributes unchanged                       keep
//	new     admitted, summaries are not merged     attributes changed                         drop (summary)
//	new     admitted                               malformed, attributes unchanged            malformed
//	new     admitted or refused by a budget        malformed, attributes changed              drop (malformed)
//	new     no memory for the stream               stale marker, attributes changed           drop (untracked)
//	new     no memory for the stream               with a value                               output
//	new     admitted                               well-formed                                output
//
// What a point adds to its output, if it is cumulative. A restart begins at or after the time
// of the stream's last value. Other changes of the start say nothing, because some senders
// state a start that wanders. But two senders of one stream would look like a reset with each
// point. So after a decrease with another start, the sender with the earlier start is late.
// Since is when counting began, or a time up to which streams may have been counted before.
//
//	stream  point                                                         adds
//	new     it started after since and did not expire before              value
//	new     a look proves the stream new                                  value
//	new     any other                                                     nothing
//	known   another start, at or after the last value                     value
//	known   not less than the last value, any earlier start               increment
//	known   less than the last value, the same start                      value
//	known   less than the last value, a later start before its time       value
//	known   less than the last value, an earlier start                    nothing
//	known   the earlier one of two starts after such a decrease           nothing
//
// [Metric.Keeps] answers for known series without an output before the point is read.
package series
