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

func TestWhatAReadingMeans(t *testing.T) {
	for name, tt := range map[string]struct {
		f    facts
		want next
	}{
		"not returned":                       {facts{last: true}, stillOpen},
		"not returned to the end":            {facts{last: true, overdue: true}, decided},
		"under way":                          {facts{seen: true, shows: true, moving: true, last: true}, stillOpen},
		"under way to the end":               {facts{seen: true, shows: true, moving: true, overdue: true}, decided},
		"under way, its kind has a word":     {facts{seen: true, moving: true, final: true}, stillOpen},
		"shows":                              {facts{seen: true, shows: true}, stillOpen},
		"shows when the settle time is over": {facts{seen: true, shows: true, last: true}, holding},
		"shows, its kind has a word":         {facts{seen: true, shows: true, final: true}, stillOpen},
		"the same, settled":                  {facts{seen: true, shows: true, final: true, last: true}, holding},
		"does not show yet":                  {facts{seen: true}, stillOpen},
		"does not show":                      {facts{seen: true, last: true}, decided},
		"was rolled back":                    {facts{seen: true, final: true}, decided},
	} {
		if got := weigh(tt.f); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}
