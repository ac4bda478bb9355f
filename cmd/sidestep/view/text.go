package view

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// width is how many columns a line of text has at most, names aside that have no
// place to break.
const width = 100

// Clean makes text from elsewhere fit for a terminal: one line, nothing that
// moves the cursor.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}

// clip shortens a name in its middle, where names differ least.
func clip(s string, n int) string {
	s = Clean(s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	head := (n - 3) / 2
	return string(runes[:head]) + "..." + string(runes[len(runes)-(n-3-head):])
}

// wrap breaks text into lines that start with the indent.
func wrap(indent, text string) string {
	var b strings.Builder
	line := indent
	for _, word := range strings.Fields(Clean(text)) {
		if line != indent && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			b.WriteString(line + "\n")
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	if line == indent {
		return ""
	}
	return b.String() + line + "\n"
}

// table aligns rows in columns. The last column takes what is left.
func table(indent string, rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := indent
		for i, cell := range row {
			line += cell
			if i < len(row)-1 {
				line += strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// count is a number with its unit.
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Span is a duration as people say it.
func Span(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days %d h", int(d.Hours())/24, int(d.Hours())%24)
}

// next lists the commands that come next, a whole one before all, if there is one.
func next(p Place, first string, commands ...string) string {
	var b strings.Builder
	b.WriteString("\nNEXT:\n")
	if first != "" {
		b.WriteString("  " + first + "\n")
	}
	for _, c := range commands {
		b.WriteString("  sidestep " + c + p.Flags + "\n")
	}
	return b.String()
}
