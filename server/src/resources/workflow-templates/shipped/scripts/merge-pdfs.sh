# One PDF of all in a folder, in the natural order of their names. Argument: the folder.
set -eu
list=$(find "$1" -type f | sort -V)
set --
while IFS= read -r path; do
  set -- "$@" "$path"
done <<LIST
$list
LIST
qpdf --warning-exit-0 --empty --pages "$@" -- "/data/outputs/$PARAM_NAME.pdf"
echo "$# files, $(qpdf --show-npages "/data/outputs/$PARAM_NAME.pdf") pages"
