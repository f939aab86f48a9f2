// Package series holds the series of metrics: which have a place within the budgets, and
// what the streams that are merged into one series add up to. It knows points one by one,
// and no container of them.
//
// A stream is a series as its sender has it: all attributes count. An output is a series as
// it goes out: without the attributes that the metric's plan drops, or of all that is past a
// budget. Streams [Streams.Observe] points and say what becomes of each. After the last point
// of a batch, [Streams.Emit] returns what goes out for each output.
//
// An output is merged for good once a stream came into it whose attributes are not its own.
// Until then the points of its stream go out as they came. So Observe has four outcomes:
//
//	keep     the point goes out as it came, whatever else the batch brings
//	drop     the point does not go out, and is counted with a reason
//	output   the point goes out as it came if its output is not merged by the end of the
//	         batch; else one point of the output goes out in the place of its first one
//	late or malformed
//	         like output, but the point cannot be merged: it is dropped, and counted, if
//	         its output is merged by the end of the batch
//
// The truth table, of which the first row that fits counts. A point is own when its
// attributes are its output's: the plan drops none, and no budget refuses it. Limit stands
// for service_limit and memory as well.
//
//	stream   series                           point                     outcome
//	known    any                              malformed, own            malformed
//	known    any                              malformed, not own        drop (malformed)
//	known    no memory to grow                larger than the last      drop (memory)
//	known    merged, and refused when sent    not newer than the last   output, counted late
//	known    any                              not newer, own            late
//	known    any                              not newer, not own        drop (late)
//	known    any                              newer, or a stale marker  output
//	new      of an SDK's overflow             well-formed               output: overflow
//	new      past a budget, on_overflow drop  any                       drop (limit)
//	new      past a budget                    well-formed               output: overflow
//	new      within, plan drops nothing       any, not seen merged      keep
//	new      within, summaries do not fold     own                       keep
//	new      within, summaries do not fold     not own                   drop (summary)
//	new      within                           malformed, own            malformed
//	new      within or past a budget          malformed, not own        drop (malformed)
//	new      no memory for the stream         delta with a value        output
//	new      no memory for the stream         any other                 drop (memory)
//	new      within                           well-formed               output
//
// [Metric.Passes] answers the row of known series of which nothing is remembered before the
// point is read.
package series
