package engine

import (
	"testing"

	"pgregory.net/rapid"
)

// TestRoomForRollouts: never more than the limit are under way while one that is
// not stuck is among them, and there is always a way on.
func TestRoomForRollouts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 50).Draw(t, "limit")
		stuck := rapid.IntRange(0, 60).Draw(t, "stuck")
		moving := rapid.IntRange(0, 60).Draw(t, "moving")
		free := room(limit, moving+stuck, stuck)
		switch {
		case free < 0:
			t.Fatal("room is negative")
		case moving == 0 && free == 0:
			t.Fatal("nothing moves, and nothing may begin")
		case free > 0 && moving+free > 1 && moving+stuck+free > limit:
			t.Fatalf("%d more may begin", free)
		}
	})
}

// TestWhatAReadingMeans walks every combination of what a reading can show.
func TestWhatAReadingMeans(t *testing.T) {
	for n := range 1 << 6 {
		bit := func(i int) bool { return n>>i&1 == 1 }
		f := facts{seen: bit(0), shows: bit(1), moving: bit(2), final: bit(3), last: bit(4), overdue: bit(5)}
		f.last = f.last || f.overdue // the deadline is never before the settle time
		got := weigh(f)
		atRest := f.seen && !f.moving
		want := stillOpen
		switch {
		case atRest && f.shows && f.last:
			want = holding
		case f.overdue, atRest && !f.shows && (f.final || f.last):
			want = decided
		}
		if got != want {
			t.Errorf("%+v is %d, want %d", f, got, want)
		}
	}
}
