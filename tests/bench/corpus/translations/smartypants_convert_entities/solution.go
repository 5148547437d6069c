package main

import "strings"

var smartyEntities = [][4]string{
	{"&#8211;", "\u2013", "&ndash;", "-"},
	{"&#8212;", "\u2014", "&mdash;", "--"},
	{"&#8216;", "\u2018", "&lsquo;", "'"},
	{"&#8217;", "\u2019", "&rsquo;", "'"},
	{"&#8220;", "\u201c", "&ldquo;", "\""},
	{"&#8221;", "\u201d", "&rdquo;", "\""},
	{"&#8230;", "\u2026", "&hellip;", "..."},
}

func convert_entities(text string, mode int64) string {
	if mode < 0 {
		mode += 3
	}
	if mode < 0 || mode > 2 {
		panic("mode out of range")
	}
	for _, e := range smartyEntities {
		text = strings.ReplaceAll(text, e[0], e[1+mode])
	}
	return text
}
