# A text as UTF-8. Arguments: the text, the name to give it.
set -eu
out=/data/outputs/$2
if iconv -f UTF-8 -t UTF-8 "$1" > /dev/null 2>&1; then
  from=UTF-8
else
  from=$PARAM_ENCODING
fi
echo "from $from"
iconv -f "$from" -t UTF-8 "$1" | sed -e '1s/^\xef\xbb\xbf//' -e 's/\r$//' > "$out"
# A pipe tells only how its end went.
iconv -f "$from" -t UTF-8 "$1" > /dev/null
