# One text as one line of a table. Arguments: the text, the name to give it.
set -eu
# Pictures and the like would count as a few very long words.
if [ "$(tr -d '\000' < "$1" | wc -c)" -ne "$(wc -c < "$1")" ]; then
  echo 'This is no text: there are zeros in it, as in pictures and programs.' >&2
  exit 1
fi
NAME=$2 LC_ALL=C.UTF-8 gawk '
BEGIN { name = ENVIRON["NAME"]; gsub(/"/, "\"\"", name) }
{
  lines++
  characters += length($0) + 1
  count = split(tolower($0), words, /[[:space:][:punct:]]+/)
  for (i = 1; i <= count; i++) {
    if (words[i] == "") continue
    total++
    if (seen[words[i]]++ == 0) different++
  }
}
END {
  # Equal counts in the order of the alphabet, so that a text always gives the same line.
  for (n = 1; n <= 5; n++) {
    best = ""
    for (word in seen) {
      if (length(word) < 5) continue
      if (best == "" || seen[word] > seen[best] || (seen[word] == seen[best] && word < best)) best = word
    }
    if (best == "") break
    often = often (n > 1 ? " " : "") best
    delete seen[best]
  }
  print "name,lines,words,different_words,characters,used_most"
  printf "\"%s\",%d,%d,%d,%d,\"%s\"\n", name, lines, total, different, characters, often
}' "$1" > "/data/outputs/$2.csv"
tail -n 1 "/data/outputs/$2.csv"
