package resource

import "slices"

// Switch is a field with two values. An evacuation turns it off, and the last zone
// to come back turns it on again: a resource has it once, for all zones.
type Switch struct {
	Field   string
	On, Off []string
}

// TurnOff is the edit that turns it off for the goal's zone, none where it is off
// already. Off by another zone's evacuation it is shared, and recorded for this
// zone too; off by somebody else it stays theirs.
func (s Switch) TurnOff(r Resource, g Goal) []Edit {
	at := r.Fields[s.Field]
	ours, _ := g.Recorded.Edit(s.Field)
	shared := slices.Equal(at, s.Off) && len(ours.To) == 0 && s.offElsewhere(g)
	if !slices.Equal(at, s.On) && !shared {
		return nil
	}
	return []Edit{{Field: s.Field, From: s.On, To: s.Off}}
}

// TurnOn is the edit that turns on again what the goal's record says we turned
// off, none where that is not so, where it is on, and while another zone needs it
// off.
func (s Switch) TurnOn(r Resource, g Goal) []Edit {
	if g.Recorded == nil || !s.turnedOff(*g.Recorded) || !slices.Equal(r.Fields[s.Field], s.Off) || s.offElsewhere(g) {
		return nil
	}
	return []Edit{{Field: s.Field, From: s.Off, To: s.On}}
}

func (s Switch) turnedOff(rec Recorded) bool {
	e, ok := rec.Edit(s.Field)
	return ok && slices.Equal(e.From, s.On) && slices.Equal(e.To, s.Off)
}

func (s Switch) offElsewhere(g Goal) bool { return slices.ContainsFunc(g.Others, s.turnedOff) }
