model M /* open 
 "unended  end