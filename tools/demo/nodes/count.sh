# One text to one line of CSV: name, pages, words, different words, minutes to read, most used long words.
# Arguments: the text, the name to give it.
set -eu
awk -v name="$2" -v long="$PARAM_LONG_WORD" -v pace="$PARAM_WORDS_PER_MINUTE" '
{
  # pdftotext ends every page with a form feed.
  pages += gsub(/\f/, " ")
  count = split(tolower($0), parts, /[^[:alpha:]]+/)
  for (i = 1; i <= count; i++) {
    word = parts[i]
    if (word == "") continue
    words++
    if (seen[word]++ == 0) different++
  }
}
END {
  for (n = 1; n <= 5; n++) {
    best = ""
    for (word in seen) {
      if (length(word) < long || (best != "" && seen[word] < seen[best])) continue
      # Equal counts in the order of the alphabet, so that the same text gives the same bytes.
      if (best == "" || seen[word] > seen[best] || word < best) best = word
    }
    if (best == "") break
    top = top (n > 1 ? " " : "") best
    delete seen[best]
  }
  gsub(/"/, "\"\"", name)
  minutes = int((words + pace - 1) / pace)
  printf "\"%s\",%d,%d,%d,%d,\"%s\"\n", name, pages, words, different, minutes, top
}' "$1" > "/data/outputs/$2.csv"
cat "/data/outputs/$2.csv"
